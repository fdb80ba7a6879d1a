import { type Outcome, refusedMeta } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { exitCodes } from './exit-code.ts'
import { exitCodeOf, isNotFound } from './outcome-exit.ts'

const error = (code: number, data?: object): Outcome => ({
  kind: 'error',
  error: { code, message: 'no', ...(data && { data: data as never }) },
})
const refused = {
  _meta: { [refusedMeta]: { server: 'shop-a', kind: 'tool', name: 'search', reason: 'held' } },
}

describe('the exit code of a call', () => {
  it.each<[string, Outcome, keyof typeof exitCodes]>([
    ['a result', { kind: 'result', value: { content: [] } }, 'ok'],
    ['a tool error', { kind: 'result', value: { content: [], isError: true } }, 'toolError'],
    ['a protocol error', error(-32602), 'protocolError'],
    ['a connection that ended', { ...error(0), failure: 'closed' } as Outcome, 'protocolError'],
    ['a request the negotiation does not allow', { ...error(0), failure: 'refused' } as Outcome, 'refused'],
    [
      'a refusal by a proxy, as a result',
      { kind: 'result', value: { isError: true, ...refused } },
      'refused',
    ],
    ['a refusal by a proxy, as an error', error(-32000, refused), 'refused'],
    ['a question that nobody answers', { kind: 'input_required', value: {} }, 'protocolError'],
  ])('after %s says so', (_what, outcome, name) => expect(exitCodeOf(outcome)).toBe(exitCodes[name]))
})

describe('not found', () => {
  it.each<[boolean, Outcome]>([
    [true, error(-32002)],
    [true, error(-32602, { uri: 'docs://x' })],
    [true, error(-32602, { uri: 'docs://x', reason: 'not-found' })],
    [false, error(-32602, { uri: 'docs://x', reason: 'no-template' })],
    [false, error(-32602)],
    [false, error(-32603)],
    [false, { ...error(-32002), failure: 'invalid' } as Outcome],
  ])('is %s for %j', (expected, outcome) => expect(isNotFound(outcome)).toBe(expected))
})
