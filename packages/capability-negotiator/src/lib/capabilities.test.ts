import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClientCapabilities } from './capabilities.ts'
import { clientCanAnswer, intersectClient } from './gateway.ts'
import { isObject, type JsonObject } from './json.ts'
import { createNegotiation } from './negotiation.ts'

const values = fc.constantFrom(undefined, null, false, true, 0, 1, '', 'form', [], [{}], {}, { x: 1 })
const asksForm = (client: JsonObject, params: JsonObject = {}) =>
  clientCanAnswer({ version: '2025-11-25', capabilities: client }, 'elicitation/create', params).allowed

describe('what a client declares', () => {
  it('means a mode of elicitation only where that is an object, or form where neither is named', () => {
    const elicitation = fc.oneof(
      fc.record({ form: values, url: values, more: values }, { requiredKeys: [] }),
      values,
    )
    fc.assert(
      fc.property(elicitation, (declared) => {
        const client = JSON.parse(JSON.stringify({ elicitation: declared })) as JsonObject
        const own = (isObject(client.elicitation) ? client.elicitation : { form: null }) as JsonObject
        const named = 'form' in own || 'url' in own
        const modes = { form: isObject(own.form) || !named, url: isObject(own.url) }
        expect(asksForm(client)).toBe(modes.form)
        expect(asksForm(client, { mode: 'url' })).toBe(modes.url)
        const shared = intersectClient(client, { elicitation: { form: {}, url: {} } }).elicitation ?? {}
        expect(Object.keys(shared).sort()).toEqual(Object.keys(modes).filter((m) => modes[m as 'form']))
        const n = createNegotiation({
          transport: 'stdio',
          client: { info: {}, capabilities: client },
          policy: { era: 'legacy' },
        })
        n.start()
        n.receive({ kind: 'result', value: { protocolVersion: '2025-11-25', capabilities: {} } })
        n.receive({ kind: 'sent' })
        expect(n.accepts('elicitation/create').allowed).toBe(modes.form)
      }),
    )
  })

  it.each<[unknown, unknown, [string, string][]]>([
    [{ elicitation: {} }, { elicitation: { form: {} } }, []],
    [{ elicitation: { form: false } }, {}, [['malformed-flag', 'elicitation.form']]],
    [
      { elicitation: { form: null, url: {} } },
      { elicitation: { url: {} } },
      [['malformed-flag', 'elicitation.form']],
    ],
    [{ sampling: true, roots: {} }, { roots: {} }, [['malformed-capability', 'sampling']]],
    [{ sampling: { tools: true } }, { sampling: {} }, [['malformed-flag', 'sampling.tools']]],
    [{ roots: { listChanged: 1 } }, { roots: {} }, [['malformed-flag', 'roots.listChanged']]],
    [
      { extensions: [], odd: 1, toString: {} },
      { odd: 1, toString: {} },
      [['malformed-capability', 'extensions']],
    ],
    [{ sampling: { toString: 1 } }, { sampling: { toString: 1 } }, []],
    [null, {}, [['malformed-capabilities', '']]],
    [[], {}, [['malformed-capabilities', '']]],
  ])('%j counts as %j, and what is malformed in it is told', (declared, counted, told) => {
    const { capabilities, diagnostics } = readClientCapabilities(declared)
    expect(capabilities).toEqual(counted)
    expect(diagnostics.map(({ code, path }) => [code, path])).toEqual(told)
  })

  it('reads the same once it was read', () => {
    const client = fc.dictionary(
      fc.constantFrom('roots', 'sampling', 'elicitation', 'tasks', 'experimental', '__proto__', 'x'),
      fc.oneof(
        values,
        fc.dictionary(fc.constantFrom('form', 'url', 'tools', 'listChanged', 'toString'), values),
      ),
    )
    fc.assert(
      fc.property(client, (declared) => {
        const { capabilities } = readClientCapabilities(JSON.parse(JSON.stringify(declared)))
        expect(readClientCapabilities(capabilities)).toEqual({ capabilities, diagnostics: [] })
      }),
    )
  })
})
