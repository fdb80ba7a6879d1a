/**
 * @import { Flag, MessageRule, Need, Revision } from '@truename/capability-negotiator'
 */

/** @param {Flag} flag */
const flagText = ({ path, counts }) => `\`${path.join('.')}${counts === 'true' ? ': true' : ''}\``

/** @param {Need} need */
function needText(need) {
  if (need.is === 'absent') return '–'
  if (need.is === 'unflagged') return 'no flag: try'
  if (need.flags.length === 0) return 'nothing'
  const last = need.flags.at(-1)
  // A flag inside a family implies the family; only several families are all named.
  const named = need.flags.filter((flag) => flag === last || flag.path[0] !== last?.path[0])
  return `${need.of} ${named.map(flagText).join(' and ')}`
}

/**
 * One row, with equal neighbours written once.
 * @param {readonly Revision[]} revisions
 * @param {MessageRule['needs']} needs
 */
const cells = (revisions, needs) => revisions.map((revision) => needText(needs[revision])).join(' | ')

/** @param {{ param: string, equals?: string | undefined }} variant */
const variantText = ({ param, equals }) =>
  equals === undefined ? `with \`${param}\`` : `with \`${param}: "${equals}"\``

/**
 * The page `docs/capabilities.md`, from the table that `can()` answers from.
 * @param {{ messages: readonly MessageRule[], revisions: readonly Revision[], listenFlags: Readonly<Record<string, Flag>> }} data
 */
export function capabilitiesPage({ messages, revisions, listenFlags }) {
  /** @param {MessageRule['from']} from @param {MessageRule['kind']} kind */
  const section = (from, kind) => {
    const rows = messages
      .filter((rule) => rule.from === from && rule.kind === kind)
      .flatMap((rule) => [
        `| \`${rule.method}\`${rule.lifecycle ? ' (lifecycle)' : ''} | ${cells(revisions, rule.needs)} |`,
        ...(rule.variants ?? []).map(
          (variant) => `| … ${variantText(variant)} | ${cells(revisions, variant.needs)} |`,
        ),
      ])
    return [
      `| message | ${revisions.join(' | ')} |`,
      `|---|${revisions.map(() => '---|').join('')}`,
      ...rows,
    ].join('\n')
  }
  const instead = messages.flatMap((rule) =>
    revisions.flatMap((revision) => {
      const need = rule.needs[revision]
      return need.is === 'absent' && need.instead ? [[rule.method, revision, need.instead]] : []
    }),
  )
  /** @type {Map<string, string[]>} */
  const grouped = new Map()
  for (const [method, revision, text] of instead) {
    const key = `| \`${method}\` | ${text} |`
    grouped.set(key, [...(grouped.get(key) ?? []), revision ?? ''])
  }
  const replaced = [...grouped].map(
    ([row, at]) => `${row} ${at.length > 1 ? `${at[0]} to ${at.at(-1)}` : at[0]} |`,
  )
  const filter = Object.entries(listenFlags).map(
    ([part, flag]) => `| \`${part}\` | server ${flagText(flag)} |`,
  )
  return `# What each message needs

Printed from the table in \`packages/capability-negotiator/src/lib/messages.ts\`, which \`can()\` answers from; a test
compares the two. To print it again: \`npm run build\`, then
\`node packages/capability-negotiator/scripts/print-capabilities.mjs\`.

"server \`tools\`" means that the server declared \`tools\`: the presence of an object is support, so \`{}\` counts, and
\`null\`, \`true\` and a missing member do not. "\`resources.subscribe: true\`" means that only the value \`true\` counts.
"–" means that the message does not exist in that revision. "lifecycle" messages are sent by the negotiation itself.

## Requests of the client

${section('client', 'request')}

## Notifications of the client

${section('client', 'notification')}

## Requests of the server

From 2026-07-28 the server does not send these: it puts them in the \`inputRequests\` of an \`input_required\` result.

${section('server', 'request')}

## Notifications of the server

From 2026-07-28 list changes and resource updates come only on a \`subscriptions/listen\` stream that asked for them, and
\`notifications/message\` only for a request that carries a log level.

${section('server', 'notification')}

## Parts of a \`subscriptions/listen\` filter

The server leaves out of its acknowledgement what it cannot honour.

| part | needs |
|---|---|
${filter.join('\n')}

## What takes the place of a message that a revision lacks

| message | instead | in |
|---|---|---|
${replaced.join('\n')}
`
}
