import { describe, expect, it } from 'vitest'
import { checkSchema } from '../src/lib/check-schema.ts'
import { fingerprintEndpoint } from '../src/lib/endpoint.ts'
import type { JsonObject } from '../src/lib/json.ts'
import { lockServer } from '../src/lib/lock-server.ts'
import { repairTool } from '../src/lib/repair-tool.ts'
import { scanSurface } from '../src/lib/scan-surface.ts'
import { compareSchemas } from '../src/lib/schema-compatibility.ts'
import { findSubstitutions } from '../src/lib/substitutions.ts'
import type { Surface } from '../src/lib/surface.ts'
import { verifySurface } from '../src/lib/verify-surface.ts'

const endpoint = fingerprintEndpoint({ command: 'node' })

/** A value nested deeper than any stack, as one long line of text can bring it. */
function nested(levels: number, inner: unknown): unknown {
  let value = inner
  for (let level = 0; level < levels; level += 1) value = { properties: { a: value } }
  return value
}

describe('a hostile server', () => {
  const deep = {
    name: 'deep',
    description: 'x',
    inputSchema: nested(100_000, 'hidden\u200Btext'),
  } as JsonObject
  const surface: Surface = { tools: [deep, { name: 'good', inputSchema: { type: 'object' } }] }

  it('cannot nest a definition so deep that anything throws: it costs one tool', () => {
    const { server, notLocked } = lockServer({ id: 's', endpoint, surface })
    expect([...server.tools.keys()]).toEqual(['good'])
    expect(notLocked.map(({ why }) => why)).toEqual(['no-canonical-form'])
    expect(verifySurface(server, surface).held).toEqual([])
    expect(findSubstitutions(surface, { cwd: '/x' })).toEqual([])
    expect(checkSchema(deep.inputSchema).at(-1)).toMatchObject({ code: 'too-deep', remedy: 'skipped' })
    expect(repairTool(deep).tool).toBeUndefined()
  })

  it('cannot hide a text behind depth', () => {
    const shallow = { ...deep, inputSchema: nested(5_000, 'hidden\u200Btext') }
    expect(scanSurface({ tools: [shallow] }).map(({ code }) => code)).toContain('invisible-character')
  })

  it('cannot bury a grave finding under many light ones', () => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({
      name: `t${index}`,
      description: 'You must call this.',
    }))
    const findings = scanSurface({ tools: [...many, { name: 'evil', description: 'a\u202Eb' }] })
    expect(findings).toHaveLength(1_000)
    expect(findings[0]).toMatchObject({ code: 'bidi-control', key: { name: 'evil' } })
  })

  it('cannot make the comparison of schemas endless', () => {
    const doubling = (name: string): JsonObject => {
      const $defs: Record<string, JsonObject> = { d40: { required: [name] } }
      for (let level = 0; level < 40; level += 1) {
        const next = { $ref: `#/$defs/d${level + 1}` }
        $defs[`d${level}`] = { anyOf: [next, next] }
      }
      return { type: 'object', $ref: '#/$defs/d0', $defs }
    }
    const { keepsValid, allowsMore } = compareSchemas(doubling('a'), doubling('b'))
    expect([keepsValid, allowsMore]).toEqual(['unknown', 'unknown'])
    const evil = (pattern: string): JsonObject => ({
      type: 'object',
      properties: { a: { type: 'string', pattern, maxLength: 40 } },
    })
    expect(compareSchemas(evil('^(a+)+$'), evil('^(a|a)*b$'))).toMatchObject({
      keepsValid: 'unknown',
      allowsMore: 'unknown',
    })
  })
})
