import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, fixtures } from '@truename/tooling-vitest/needs'
import { expect, it } from 'vitest'
import { CLIENT, drive, type Peer } from '../../test/scripted-peer.ts'
import { isObject, type JsonObject, own } from './json.ts'
import { createNegotiation } from './negotiation.ts'
import type { NegotiationEvent } from './outcome.ts'

interface Surface {
  readonly package: string
  readonly initialize: JsonObject
  readonly discover: JsonObject
  readonly errors: JsonObject
  readonly probes: JsonObject
}

/** A recorded answer as an event: a result, or the error it was. */
function recorded(answer: unknown): NegotiationEvent {
  const error = own(answer, 'error')
  if (isObject(error)) {
    return {
      kind: 'error',
      error: { code: Number(error.code), message: String(error.message), data: error.data },
    }
  }
  const result = own(answer, 'result')
  return { kind: 'result', value: isObject(result) ? result : {} }
}

/** A published server as it was recorded; its era is fixed by the first message it accepts. */
function peerOf({ initialize, discover }: Surface): Peer {
  const eras = new Map<number, 'legacy' | 'modern'>()
  return ({ method }, process) => {
    if (method === 'server/discover') {
      const answer = recorded(discover)
      if (answer.kind === 'result') eras.set(process, 'modern')
      return answer
    }
    if (method !== 'initialize') return { kind: 'sent' }
    if (eras.get(process) === 'modern') return recorded({ error: own(discover, 'initializeAfterwards') })
    eras.set(process, 'legacy')
    return { kind: 'result', value: initialize }
  }
}

/** What the recording says of each method: what was answered to it in the legacy era. */
const answers = ({ errors, probes }: Surface): [string, NegotiationEvent][] => [
  ...['prompts/list', 'resources/list', 'resources/templates/list'].map(
    (method): [string, NegotiationEvent] => [
      method,
      own(errors, method) === undefined ? recorded({}) : recorded({ error: own(errors, method) }),
    ],
  ),
  ['logging/setLevel', recorded(own(probes, 'loggingSetLevel'))],
  ['completion/complete', recorded(own(probes, 'completion'))],
  ['resources/subscribe', recorded(own(probes, 'subscribe'))],
]

describeWith(fixtures, '42 published servers', (folder) => {
  const surfaces = folder === '' ? [] : load(join(folder, 'surfaces'))

  it('all negotiate by themselves in one process: 40 legacy ones after a refused probe, 2 modern at once', () => {
    const eras = surfaces.map((surface) => {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT })
      const { processes, sent } = drive(n, peerOf(surface))
      expect([surface.package, n.state, processes]).toEqual([surface.package, 'ready', 1])
      expect(sent).toHaveLength(n.era === 'modern' ? 1 : 3)
      return n.era
    })
    expect([
      eras.filter((era) => era === 'legacy').length,
      eras.filter((era) => era === 'modern').length,
    ]).toEqual([40, 2])
  })

  it('declare what they have, but for the five known exceptions, each of which is found and kept as evidence', () => {
    const broken: string[] = []
    const undeclared: string[] = []
    for (const surface of surfaces) {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era: 'legacy' } })
      drive(n, peerOf(surface))
      for (const [method, answer] of answers(surface)) {
        const found = answer.kind === 'error' && answer.error.code === -32601 ? 'absent' : 'present'
        if (n.can(method).allowed === true) n.observe({ method }, answer)
        else if (found === 'present') undeclared.push(`${surface.package} ${method}`)
      }
      broken.push(...n.violations().map(({ method }) => `${surface.package} ${method}`))
      expect(n.report() === undefined).toBe(n.violations().length === 0)
    }
    expect(broken).toEqual([
      '@executeautomation/playwright-mcp-server resources/templates/list',
      '@hugeicons/mcp-server resources/templates/list',
      '@modelcontextprotocol/server-postgres resources/templates/list',
      '@primeng/mcp resources/list',
      '@primeng/mcp resources/templates/list',
    ])
    expect(undeclared).toEqual(['firecrawl-mcp completion/complete'])
  })

  it('have well-formed declarations, but for one that declares a capability of clients', () => {
    const diagnostics = surfaces.flatMap((surface) => {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era: 'legacy' } })
      drive(n, peerOf(surface))
      return n.diagnostics.map(({ code, path }) => `${surface.package} ${code} ${path}`)
    })
    expect(diagnostics).toEqual(['@mastra/mcp-docs-server not-a-server-capability elicitation'])
  })

  it('answer an older version where they have only that, and it is taken', () => {
    const versions = surfaces.map((surface) => {
      const n = createNegotiation({ transport: 'stdio', client: CLIENT, policy: { era: 'legacy' } })
      drive(n, peerOf(surface))
      return n.version
    })
    expect(versions.filter((version) => version === '2024-11-05')).toHaveLength(6)
    expect(new Set(versions)).toEqual(new Set(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']))
  })
})

function load(folder: string): Surface[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Surface)
}
