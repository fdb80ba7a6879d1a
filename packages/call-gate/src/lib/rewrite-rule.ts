import { type Key, sanitizeForDisplay } from '@truename/tool-registry/identity'
import { escapeGlob, globMatches, readGlob } from './glob.ts'
import type { PolicyProblem } from './policy-error.ts'
import { showLine } from './show.ts'

type Rewrite = Required<Pick<PolicyProblem, 'message' | 'candidates' | 'rewrite'>>

const kinds = ['tool', 'prompt', 'resource'] as const

/** The spellings by which other programs call a tool of a server. Flat names are built to be compared, never parsed. */
const spellings = ({ server, name }: Key): readonly string[] => [
  name,
  ...['/', '__', '.', ':', '_', '-'].map((separator) => `${server}${separator}${name}`),
  `mcp__${server}__${name}`,
]

interface Intent {
  readonly shown: string
  readonly members: Readonly<Record<string, unknown>>
  readonly means: (key: Key) => boolean
}

function intentOf(rule: unknown): Intent {
  if (typeof rule === 'string') {
    return {
      shown: JSON.stringify(rule),
      members: { decision: 'ask' },
      means: (key) => spellings(key).includes(rule),
    }
  }
  const members = rule as Readonly<Record<string, unknown>>
  const kind = kinds.find((one) => typeof members[one] === 'string')
  const { tool, prompt, resource, name, ...rest } = members
  const text = [tool, prompt, resource, name].find((one): one is string => typeof one === 'string') ?? ''
  const glob = readGlob(text, { template: kind === 'resource' })
  return {
    shown: JSON.stringify(text),
    members: rest,
    means: (key) =>
      (kind === undefined || kind === key.kind) &&
      (spellings(key).includes(text) || ('parts' in glob && globMatches(glob, key.name))),
  }
}

/** JSON in which every character that does not show as itself is an escape. */
const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (unit) =>
    sanitizeForDisplay(unit) === unit ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What a rule without a server could mean, and how to write it. */
export function rewriteRule(rule: unknown, keys: readonly Key[]): Rewrite {
  const { shown, members, means } = intentOf(rule)
  const candidates = keys.filter(means)
  const { decision = 'ask', ...rest } = members
  const write = ({ server, kind, name }: Key): string =>
    visibleJson({
      server: escapeGlob(server),
      [kind]: kind === 'resource' && name.includes('{') ? name : escapeGlob(name),
      decision,
      ...rest,
    })
  const pairs = candidates.map(({ server, name }) => showLine(`${server}/${name}`)).join(', ')
  return {
    message:
      `the rule ${showLine(shown)} does not say whose; a name is unique within one server only. ` +
      (candidates.length > 0
        ? `It could mean ${pairs}. Write:`
        : 'Add "server": the id from the configuration.'),
    candidates,
    rewrite: candidates.map(write),
  }
}
