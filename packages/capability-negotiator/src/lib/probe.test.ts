import { describe, expect, it } from 'vitest'
import { error, failure, http, httpError, result } from '../../test/scripted-peer.ts'
import type { ProbeOutcome } from './outcome.ts'
import { classifyProbe, isModernError, resultKind } from './probe.ts'

const VERSIONS = ['2026-07-28', '2025-11-25']
const classify = (outcome: unknown, transport: 'stdio' | 'http' = 'http') =>
  classifyProbe(outcome as ProbeOutcome, { transport, versions: VERSIONS })

const rpc = (error: object) => ({ jsonrpc: '2.0', id: 1, error })
const unsupported = rpc({ code: -32022, message: 'no', data: { supported: ['2026-07-28'] } })

describe('a modern error', () => {
  it.each([
    [-32020, undefined, true],
    [-32021, undefined, true],
    [-32022, { supported: ['2026-07-28'] }, true],
    [-32022, { supported: [] }, true],
    [-32022, { supported: '2026-07-28' }, false],
    [-32022, { supported: [7] }, false],
    [-32022, undefined, false],
    [-32601, undefined, false],
    [-32602, { supported: ['2025-11-25'] }, false],
    [-32001, undefined, false],
    [-32004, { supported: ['2026-07-28'] }, false],
  ])('%i with %j: %s', (code, data, expected) => {
    expect(isModernError({ code, message: '', data: data as never })).toBe(expected)
  })
})

describe('an HTTP body', () => {
  it.each<[string, ProbeOutcome]>([
    ['JSON', http(400, unsupported) as ProbeOutcome],
    ['a batch', http(400, [unsupported]) as ProbeOutcome],
    [
      'an event stream',
      http(
        400,
        `event: message\r\ndata: ${JSON.stringify(unsupported)}\r\n\r\n`,
        'text/event-stream',
      ) as ProbeOutcome,
    ],
    [
      'a stream with a comment first',
      http(
        200,
        `: hi\n\ndata: ${JSON.stringify(unsupported)}\n\n`,
        'Text/Event-Stream; charset=utf-8',
      ) as ProbeOutcome,
    ],
    [
      'a stream with data over two lines',
      http(
        400,
        `data: {"error":\ndata: ${JSON.stringify(unsupported.error)}}\n\n`,
        'text/event-stream',
      ) as ProbeOutcome,
    ],
  ])('is read as %s', (_, outcome) => {
    expect(classify(outcome)).toEqual({
      era: 'modern',
      usable: true,
      version: '2026-07-28',
      supported: ['2026-07-28'],
    })
  })

  it('that holds a discovery is one, with 2xx only', () => {
    const discovery = {
      jsonrpc: '2.0',
      id: 1,
      result: { supportedVersions: ['2026-07-28'], capabilities: {} },
    }
    expect(classify(http(200, discovery))).toMatchObject({ era: 'modern', usable: true })
    expect(classify(http(404, discovery))).toMatchObject({ era: 'legacy' })
  })

  it('that is no message is judged by its status alone', () => {
    for (const body of [
      '',
      'Bad Request',
      '<html>',
      '[]',
      '{}',
      'null',
      '{"error":"no"}',
      '{"error":{"code":"-32022"}}',
      '[[[',
      '"',
    ]) {
      expect(classify(http(400, body)).era).toBe('legacy')
      expect(classify(http(500, body)).era).toBeUndefined()
    }
  })

  it.each([408, 425, 429])('with %i decides nothing', (status) => {
    expect(classify(http(status))).toEqual({ era: undefined, because: 'busy', status })
    expect(classify(httpError(status, -32000))).toMatchObject({
      era: undefined,
      because: 'busy',
      error: { code: -32000 },
    })
  })

  it('with a modern error is modern whatever its status', () => {
    for (const status of [200, 400, 401, 404, 500])
      expect(classify(http(status, unsupported)).era).toBe('modern')
  })
})

describe('what differs by transport', () => {
  it.each([
    ['timeout', 'legacy', undefined],
    ['closed', 'legacy', undefined],
    ['transport', undefined, undefined],
    ['invalid', 'legacy', 'legacy'],
    ['cancelled', undefined, undefined],
    ['refused', undefined, undefined],
  ] as const)('%s: stdio %s, HTTP %s', (kind, stdio, overHttp) => {
    expect([classify(failure(kind), 'stdio').era, classify(failure(kind), 'http').era]).toEqual([
      stdio,
      overHttp,
    ])
  })

  it('an exit is a legacy process whose era nothing fixed, and over HTTP says nothing', () => {
    expect(classify({ kind: 'exit' }, 'stdio')).toEqual({ era: 'legacy', because: 'exit', fixed: false })
    expect(classify({ kind: 'exit' }, 'http')).toEqual({ era: undefined, because: 'closed' })
  })

  it('an answered discovery with a legacy version only fixes the era of a process, not of an endpoint', () => {
    const only = result({ supportedVersions: ['2025-11-25'], capabilities: {} })
    expect([classify(only, 'stdio'), classify(only, 'http')]).toMatchObject([
      { fixed: true },
      { fixed: false },
    ])
    const refused = error(-32022, { supported: ['2025-11-25'] })
    expect(classify(refused, 'stdio')).toEqual({
      era: 'legacy',
      because: 'legacy-only',
      version: '2025-11-25',
      fixed: false,
    })
  })
})

it.each([
  [{}, 'complete'],
  [{ resultType: 'complete' }, 'complete'],
  [{ resultType: 'input_required' }, 'input_required'],
  [{ resultType: 'x' }, 'invalid'],
  [{ resultType: null }, 'invalid'],
  [null, 'invalid'],
  [[], 'invalid'],
])('the result %j is %s', (value, kind) => {
  expect(resultKind(value)).toBe(kind)
})
