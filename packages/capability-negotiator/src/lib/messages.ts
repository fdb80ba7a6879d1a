import type { Revision } from './versions.ts'

/** A flag in a capabilities object: where it is, and whether its presence counts or only the value `true`. */
export interface Flag {
  readonly path: readonly string[]
  readonly counts: 'presence' | 'true'
}

/** What a message needs in one revision. */
export type Need =
  /** Every one of these flags, declared by that side; none at all for core messages. */
  | { readonly is: 'flags'; readonly of: 'server' | 'client'; readonly flags: readonly Flag[] }
  /** It exists, and no flag tells whether the peer has it: try, and expect -32601. */
  | { readonly is: 'unflagged' }
  /** It does not exist in this revision. */
  | { readonly is: 'absent'; readonly instead?: string | undefined }

/** A parameter that changes what a message needs: present, or equal to `equals`. All that apply have to hold. */
export interface Variant {
  readonly param: string
  readonly equals?: string | undefined
  readonly needs: Readonly<Record<Revision, Need>>
}

/** One row of the table: a message, who sends it, and what it needs in each revision. */
export interface MessageRule {
  readonly method: string
  readonly kind: 'request' | 'notification'
  readonly from: 'client' | 'server'
  readonly needs: Readonly<Record<Revision, Need>>
  readonly variants?: readonly Variant[] | undefined
  /** Sent by the negotiation itself, and by nobody else. */
  readonly lifecycle?: true | undefined
}

const present = (...path: string[]): Flag => ({ path, counts: 'presence' })
const enabled = (...path: string[]): Flag => ({ path, counts: 'true' })
const server = (...flags: Flag[]): Need => ({ is: 'flags', of: 'server', flags })
const client = (...flags: Flag[]): Need => ({ is: 'flags', of: 'client', flags })
const free: Need = server()
const absent = (instead?: string): Need =>
  instead === undefined ? { is: 'absent' } : { is: 'absent', instead }
const unflagged: Need = { is: 'unflagged' }

/** Five columns: 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28. */
const columns = (a: Need, b: Need, c: Need, d: Need, e: Need): Record<Revision, Need> => ({
  '2024-11-05': a,
  '2025-03-26': b,
  '2025-06-18': c,
  '2025-11-25': d,
  '2026-07-28': e,
})
const always = (need: Need) => columns(need, need, need, need, need)
const eras = (legacy: Need, modern: Need) => columns(legacy, legacy, legacy, legacy, modern)
const only2025 = (need: Need, modern: Need) => columns(absent(), absent(), absent(), need, modern)

const LISTEN = 'send `subscriptions/listen`'
const DISCOVER = 'send `server/discover`'
const TASKS = present('extensions', 'io.modelcontextprotocol/tasks')
type Needs = Readonly<Record<Revision, Need>>
const rule =
  (from: 'client' | 'server', kind: 'request' | 'notification') =>
  (method: string, needs: Needs, more: Pick<MessageRule, 'variants' | 'lifecycle'> = {}): MessageRule => ({
    method,
    kind,
    from,
    needs,
    ...more,
  })
const asks = rule('client', 'request')
const tells = rule('client', 'notification')
const serverAsks = rule('server', 'request')
const serverTells = rule('server', 'notification')

/**
 * Every message of the published revisions, with what it needs in each (schema `ServerCapabilities`,
 * `ClientCapabilities`; specification sections of each feature). `can()` and the page `docs/capabilities.md` are
 * both made from this.
 */
export const MESSAGES: readonly MessageRule[] = [
  asks('initialize', eras(free, absent(DISCOVER)), { lifecycle: true }),
  tells('notifications/initialized', eras(free, absent()), { lifecycle: true }),
  asks('server/discover', eras(absent(), free)),
  asks('ping', eras(free, absent(DISCOVER))),
  asks('tools/list', always(server(present('tools')))),
  asks('tools/call', always(server(present('tools'))), {
    variants: [
      {
        param: 'task',
        needs: only2025(
          server(present('tools'), present('tasks', 'requests', 'tools', 'call')),
          absent('the server decides; declare the extension `io.modelcontextprotocol/tasks`'),
        ),
      },
    ],
  }),
  asks('resources/list', always(server(present('resources')))),
  asks('resources/templates/list', always(server(present('resources')))),
  asks('resources/read', always(server(present('resources')))),
  asks(
    'resources/subscribe',
    eras(
      server(present('resources'), enabled('resources', 'subscribe')),
      absent(`${LISTEN} with \`notifications.resourceSubscriptions\``),
    ),
  ),
  asks(
    'resources/unsubscribe',
    eras(
      server(present('resources'), enabled('resources', 'subscribe')),
      absent('end the `subscriptions/listen` request'),
    ),
  ),
  asks('subscriptions/listen', eras(absent('send `resources/subscribe`; list changes come unasked'), free)),
  asks('prompts/list', always(server(present('prompts')))),
  asks('prompts/get', always(server(present('prompts')))),
  asks(
    'completion/complete',
    columns(
      unflagged,
      server(present('completions')),
      server(present('completions')),
      server(present('completions')),
      server(present('completions')),
    ),
  ),
  asks(
    'logging/setLevel',
    eras(
      server(present('logging')),
      absent('put `io.modelcontextprotocol/logLevel` in the `_meta` of each request'),
    ),
  ),
  asks('tasks/get', only2025(server(present('tasks')), server(TASKS))),
  asks('tasks/result', only2025(server(present('tasks')), absent('poll `tasks/get`'))),
  asks('tasks/update', columns(absent(), absent(), absent(), absent(), server(TASKS))),
  asks('tasks/list', only2025(server(present('tasks', 'list')), absent())),
  asks('tasks/cancel', only2025(server(present('tasks', 'cancel')), server(TASKS))),
  tells('notifications/cancelled', always(free)),
  tells('notifications/progress', eras(free, absent())),
  tells('notifications/roots/list_changed', eras(client(enabled('roots', 'listChanged')), absent())),
  tells('notifications/tasks/status', only2025(client(present('tasks')), absent())),
  serverAsks('ping', eras(free, absent())),
  serverAsks('roots/list', eras(client(present('roots')), client(present('roots')))),
  serverAsks('sampling/createMessage', always(client(present('sampling'))), {
    variants: [
      {
        param: 'tools',
        needs: columns(
          absent(),
          absent(),
          absent(),
          client(present('sampling'), present('sampling', 'tools')),
          client(present('sampling'), present('sampling', 'tools')),
        ),
      },
      {
        param: 'task',
        needs: only2025(
          client(present('sampling'), present('tasks', 'requests', 'sampling', 'createMessage')),
          absent(),
        ),
      },
    ],
  }),
  serverAsks(
    'elicitation/create',
    columns(
      absent(),
      absent(),
      client(present('elicitation')),
      client(present('elicitation', 'form')),
      client(present('elicitation', 'form')),
    ),
    {
      variants: [
        {
          param: 'mode',
          equals: 'url',
          needs: columns(
            absent(),
            absent(),
            absent(),
            client(present('elicitation', 'url')),
            client(present('elicitation', 'url')),
          ),
        },
        {
          param: 'task',
          needs: only2025(
            client(present('elicitation'), present('tasks', 'requests', 'elicitation', 'create')),
            absent(),
          ),
        },
      ],
    },
  ),
  serverAsks('tasks/get', only2025(client(present('tasks')), absent())),
  serverAsks('tasks/result', only2025(client(present('tasks')), absent())),
  serverAsks('tasks/list', only2025(client(present('tasks', 'list')), absent())),
  serverAsks('tasks/cancel', only2025(client(present('tasks', 'cancel')), absent())),
  serverTells('notifications/cancelled', always(free)),
  serverTells('notifications/progress', always(free)),
  serverTells('notifications/message', always(server(present('logging')))),
  serverTells(
    'notifications/tools/list_changed',
    always(server(present('tools'), enabled('tools', 'listChanged'))),
  ),
  serverTells(
    'notifications/prompts/list_changed',
    always(server(present('prompts'), enabled('prompts', 'listChanged'))),
  ),
  serverTells(
    'notifications/resources/list_changed',
    always(server(present('resources'), enabled('resources', 'listChanged'))),
  ),
  serverTells(
    'notifications/resources/updated',
    always(server(present('resources'), enabled('resources', 'subscribe'))),
  ),
  serverTells('notifications/subscriptions/acknowledged', eras(absent(), free)),
  serverTells(
    'notifications/elicitation/complete',
    only2025(client(present('elicitation', 'url')), absent()),
  ),
  serverTells('notifications/tasks/status', only2025(server(present('tasks')), absent())),
]

/** What each part of a `subscriptions/listen` filter needs before the server can honour it. */
export const LISTEN_FLAGS: Readonly<Record<string, Flag>> = {
  toolsListChanged: enabled('tools', 'listChanged'),
  promptsListChanged: enabled('prompts', 'listChanged'),
  resourcesListChanged: enabled('resources', 'listChanged'),
  resourceSubscriptions: enabled('resources', 'subscribe'),
}
