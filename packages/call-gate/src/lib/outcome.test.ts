import type { Key } from '@truename/tool-registry'
import { describe, expect, it } from 'vitest'
import { forModel } from './for-model.ts'
import { type CallOutcome, classifyOutcome, examineOutcome } from './outcome.ts'
import { parsePolicy } from './parse-policy.ts'

const key: Key = { server: 'shop-a', kind: 'tool', name: 'search' }
const text = (...texts: readonly string[]): CallOutcome => ({
  kind: 'result',
  value: { content: texts.map((one) => ({ type: 'text', text: one })) },
})
const protocolError: CallOutcome = {
  kind: 'error',
  error: { code: -32602, message: 'unknown tool\u001b[2J' },
}
const toolError: CallOutcome = { kind: 'result', value: { content: [], isError: true, extra: 1 } }

describe('classifyOutcome', () => {
  it.each<[string, CallOutcome, string]>([
    ['a result', text('tea'), 'success'],
    ['an empty result', { kind: 'result', value: {} }, 'success'],
    ['a result marked as an error', toolError, 'tool-error'],
    ['a result with isError false', { kind: 'result', value: { isError: false } }, 'success'],
    ['a result with isError as a text', { kind: 'result', value: { isError: 'true' } }, 'success'],
    ['an error of the peer', protocolError, 'protocol-error'],
    [
      'a time limit',
      { kind: 'error', error: { code: -32001, message: 'late' }, failure: 'timeout' },
      'protocol-error',
    ],
    [
      'a request that was not sent',
      { kind: 'error', error: { code: -32000, message: 'no' }, failure: 'refused' },
      'refused',
    ],
    ['a call that needs input', { kind: 'input_required', value: { inputRequests: {} } }, 'input-required'],
  ])('%s', (_, outcome, expected) => {
    expect(classifyOutcome(outcome)).toBe(expected)
  })
})

describe('a denial in plain content', () => {
  const { denials } = parsePolicy({
    rules: [],
    denials: [
      { server: 'shop-*', text: 'Permission denied*' },
      { server: 'shop-a', tool: 'buy', text: '*' },
    ],
  })
  const examine = (outcome: CallOutcome, of = key) => examineOutcome(outcome, { key: of, denials })

  it('is recognised by the configured patterns, in any case and with outer white space', () => {
    expect(examine(text('one', ' PERMISSION denied: ask an admin\n'))).toEqual({
      class: 'refused',
      by: 'server',
      denial: ' PERMISSION denied: ask an admin\n',
    })
  })

  it('is recognised where the server marks it as an error too', () => {
    const { value } = text('permission denied') as { value: object }
    expect(examine({ kind: 'result', value: { ...value, isError: true } }).class).toBe('refused')
  })

  it.each([
    ['says so in passing', text('Tea. permission denied')],
    ['is a long document that begins so', text(`Permission denied ${'x'.repeat(2000)}`)],
    [
      'is not text',
      { kind: 'result', value: { content: [{ type: 'image', text: 'permission denied' }, null, 7] } },
    ],
    ['has no list of content', { kind: 'result', value: { content: 'permission denied' } }],
  ] as const)('is not seen in content that %s', (_, outcome) => {
    expect(examine(outcome as CallOutcome).class).toBe('success')
  })

  it('is looked for on the pairs the pattern names, and nowhere else', () => {
    expect(examine(text('permission denied'), { ...key, server: 'kb' }).class).toBe('success')
    expect(examine(text('permission denied'), { ...key, kind: 'prompt' }).class).toBe('success')
    expect(examine(text('hello')).class).toBe('success')
    expect(examine(text('hello'), { ...key, name: 'buy' }).class).toBe('refused')
  })
})

describe('what a model is given', () => {
  it('is every result as it came, errors of the tool included', () => {
    expect(forModel(toolError)).toBe((toolError as { value: object }).value)
  })

  it('is a protocol error only where that was asked for', () => {
    expect(forModel(protocolError)).toBeUndefined()
    expect(forModel(protocolError, { protocolErrors: 'withhold' })).toBeUndefined()
    const told = forModel(protocolError, { protocolErrors: 'tell' })
    expect(told).toMatchObject({ isError: true })
    expect(JSON.stringify(told)).toContain('unknown tool⟨U+001B⟩')
  })

  it('is nothing of a call that is not finished', () => {
    expect(forModel({ kind: 'input_required', value: {} }, { protocolErrors: 'tell' })).toBeUndefined()
  })
})
