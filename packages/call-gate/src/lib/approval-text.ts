import { canonicalJson, digestText, type Key } from '@truename/tool-registry/identity'
import type { ApprovalRequest } from './approval.ts'
import type { Pin } from './call.ts'
import { type Folded, fold } from './show.ts'

/** Where a server comes from, as configured, before any secret is filled in. */
export type Origin =
  | {
      readonly command: string
      readonly args?: readonly string[] | undefined
      readonly cwd?: string | undefined
    }
  | { readonly url: string }

/** What a server says of its own tool. None of it is checked. */
export interface Claims {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly annotations?: object | undefined
}

/** Everything a person should see before answering. */
export interface ApprovalFacts {
  readonly key: Key
  readonly args: unknown
  readonly pin: Pin
  readonly profile: string
  /** Absent where it is not known, which is then said. */
  readonly origin?: Origin | undefined
  readonly claims?: Claims | undefined
  /** Why the gate asks: the decision's rule and reason. */
  readonly rule: string
  readonly reason: string
}

/** How much is shown at once. */
export interface ApprovalTextOptions {
  /** Longest text shown whole, in UTF-16 units; usual: 400. `false` folds nothing. */
  readonly fold?: number | false | undefined
  /** Most argument values shown; usual: 40. Ignored where nothing is folded. */
  readonly values?: number | undefined
}

/** One line of the approval screen. */
export interface ApprovalLine {
  readonly part: 'call' | 'arguments' | 'claims'
  readonly label: string
  /** Ready to be shown: one line, hidden characters written out. */
  readonly text: string
}

/** The approval screen. */
export interface ApprovalView {
  readonly lines: readonly ApprovalLine[]
  /** What was folded; show again with `fold: false` for all of it. */
  readonly folded: readonly Folded[]
  /** The lines as plain text. */
  readonly text: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The values of a JSON document that hold no others, each with its pointer. Works on any depth. */
function leaves(value: unknown): readonly (readonly [pointer: string, value: unknown])[] {
  const found: (readonly [string, unknown])[] = []
  const open: (readonly [string, unknown])[] = [['', value]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [pointer, at] = next
    const members = isObject(at) ? Object.entries(at) : []
    if (members.length === 0) found.push(next)
    for (const [name, member] of members.reverse()) {
      open.push([`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, member])
    }
  }
  return found
}

const showOrigin = (origin: Origin | undefined): string => {
  if (!origin) return '(not known)'
  if ('url' in origin) return origin.url
  const words = [origin.command, ...(origin.args ?? [])].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word),
  )
  return words.join(' ') + (origin.cwd === undefined ? '' : ` (in ${JSON.stringify(origin.cwd)})`)
}

const showPin = (pin: Pin): string => {
  if (pin.state === 'approved') return `approved, exactly this definition: sha-256 ${pin.digest}`
  if (pin.state === 'held') return `HELD: ${pin.field} differs from what was approved (${pin.reason})`
  if (pin.state === 'live') return 'NOT PINNED: the server may change this at any time'
  return 'UNKNOWN: nobody approved this definition'
}

const headings = {
  call: 'Allow this?',
  arguments: 'With the arguments',
  claims: 'The server says of it (not checked)',
}

function plainText(lines: readonly ApprovalLine[]): string {
  const widest = Math.max(...lines.map((line) => Math.min(line.label.length, 24)))
  return (['call', 'arguments', 'claims'] as const)
    .map((part) => [part, lines.filter((line) => line.part === part)] as const)
    .filter(([, mine]) => mine.length > 0)
    .map(([part, mine]) =>
      [headings[part], ...mine.map(({ label, text }) => `  ${label.padEnd(widest)}  ${text}`)].join('\n'),
    )
    .join('\n')
}

/**
 * The approval screen for a call, from facts alone: server id, where it comes from, name, arguments, the state of
 * the pin, and last what the server claims. Nothing is cut without being said, and no text can add a line of its own.
 */
export function describeApproval(facts: ApprovalFacts, options: ApprovalTextOptions = {}): ApprovalView {
  const most = options.fold === false ? Number.POSITIVE_INFINITY : (options.fold ?? 400)
  const mostValues = options.fold === false ? Number.POSITIVE_INFINITY : (options.values ?? 40)
  const lines: ApprovalLine[] = []
  const folded: Folded[] = []
  const add = (part: ApprovalLine['part'], label: string, value: string, longest = most): void => {
    const shown = fold(value, longest, label)
    if (shown.folded) folded.push(shown.folded)
    lines.push({ part, label: fold(label, most, label).text, text: shown.text })
  }
  // What decides who is called and whether it is the approved thing is never folded.
  const whole = Number.POSITIVE_INFINITY
  add('call', 'server', facts.key.server, whole)
  add('call', 'from', showOrigin(facts.origin), whole)
  add('call', facts.key.kind, facts.key.name, whole)
  add('call', 'definition', showPin(facts.pin), whole)
  add('call', 'caller', `profile ${facts.profile}`, whole)
  add('call', 'asked because', `${facts.reason} [${facts.rule}]`, whole)

  const values = leaves(facts.args ?? {})
  const empty = values.length === 1 && values[0]?.[0] === '' && isObject(values[0][1])
  if (empty) add('arguments', '(none)', '')
  else {
    const head = values.length > mostValues ? Math.ceil(mostValues / 2) : values.length
    const tail = values.length > mostValues ? values.slice(values.length - Math.floor(mostValues / 2)) : []
    for (const [pointer, value] of values.slice(0, head))
      add('arguments', pointer, JSON.stringify(value) ?? 'undefined')
    const left = values.length - head - tail.length
    if (left > 0) {
      const all = canonicalJson(facts.args)
      const digest = digestText(all)
      folded.push({ of: '', length: all.length, digest })
      add(
        'arguments',
        '⟪folded⟫',
        `${left} of ${values.length} values, sha-256 of all arguments ${digest}`,
        whole,
      )
    }
    for (const [pointer, value] of tail) add('arguments', pointer, JSON.stringify(value) ?? 'undefined')
  }

  const { title, description, annotations } = facts.claims ?? {}
  if (title !== undefined) add('claims', 'title', JSON.stringify(title))
  for (const [pointer, value] of annotations ? leaves(annotations) : []) {
    if (pointer !== '') add('claims', pointer.slice(1), JSON.stringify(value) ?? 'undefined')
  }
  if (description !== undefined) add('claims', 'description', JSON.stringify(description))
  return { lines, folded, text: plainText(lines) }
}

/** The approval screen for an open question; where the server comes from and what it claims are added by who knows. */
export const describeRequest = (
  { binding, args, pin, rule, reason }: ApprovalRequest,
  known: Pick<ApprovalFacts, 'origin' | 'claims'> = {},
  options?: ApprovalTextOptions,
): ApprovalView =>
  describeApproval({ key: binding.key, profile: binding.profile, args, pin, rule, reason, ...known }, options)
