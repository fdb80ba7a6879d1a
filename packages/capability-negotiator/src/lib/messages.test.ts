import * as sdk from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { MESSAGES } from './messages.ts'
import { REVISIONS, type Revision } from './versions.ts'

/** The methods of one side that exist in a revision, by the table. */
const inTable = (revision: Revision, from: 'client' | 'server', kind: 'request' | 'notification') =>
  MESSAGES.filter((rule) => rule.from === from && rule.kind === kind && rule.needs[revision].is !== 'absent')
    .map(({ method }) => method)
    .sort()

const methods = (schema: {
  readonly options: readonly { readonly shape: { readonly method: { readonly value: string } } }[]
}) => schema.options.map(({ shape }) => shape.method.value).sort()

describe('the messages of 2025-11-25', () => {
  it.each([
    ['client', 'request', sdk.ClientRequestSchema],
    ['client', 'notification', sdk.ClientNotificationSchema],
    ['server', 'request', sdk.ServerRequestSchema],
    ['server', 'notification', sdk.ServerNotificationSchema],
  ] as const)('of the %s, %ss, are those the official SDK of that revision knows', (from, kind, schema) => {
    expect(inTable('2025-11-25', from, kind)).toEqual(methods(schema))
  })
})

describe('the messages of 2026-07-28', () => {
  it('are those of its schema, extensions apart', () => {
    const core = (from: 'client' | 'server', kind: 'request' | 'notification') =>
      inTable('2026-07-28', from, kind).filter((method) => !method.startsWith('tasks/'))
    expect(core('client', 'request')).toEqual([
      'completion/complete',
      'prompts/get',
      'prompts/list',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'server/discover',
      'subscriptions/listen',
      'tools/call',
      'tools/list',
    ])
    expect(core('client', 'notification')).toEqual(['notifications/cancelled'])
    expect(core('server', 'request')).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage'])
    expect(core('server', 'notification')).toEqual([
      'notifications/cancelled',
      'notifications/message',
      'notifications/progress',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
  })
})

it('a message that a revision lacks was there before or comes after', () => {
  for (const { method, needs } of MESSAGES) {
    expect([method, REVISIONS.some((revision) => needs[revision].is !== 'absent')]).toEqual([method, true])
  }
})
