import {
  type Drift,
  type Json,
  type LockedServer,
  type Surface,
  sanitizeForDisplay,
} from '@truename/tool-registry'
import type { ServerDifference } from './lock-difference.ts'
import { type createStyle, fold } from './style.ts'

type Style = ReturnType<typeof createStyle>

/** A difference as a reviewer reads it: every text that moved, whole, with hidden characters made visible. */
export function showDifference(difference: ServerDifference, style: Style): string {
  const { id, profile, kind, before, after } = difference
  const name = profile === 'default' ? id : `${id} (${profile})`
  if (kind === 'same') return `  ${name}: as it was approved`
  if (kind === 'gone') return style('red', `- ${name}: no longer configured; its entry is removed`)
  if (kind === 'new' && after) return style('green', `+ ${name}: ${counts(after)}`) + showNew(after, style)
  const parts = difference.parts.map((part) => showPart(part, before, after, style))
  const drift = difference.drift.map((one) => showDrift(one, difference, style))
  return [style('yellow', `~ ${name}`), ...parts, ...drift].join('\n')
}

const counts = (server: LockedServer): string => {
  const { tools, prompts, templates } = server
  const one = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  return [one(tools.size, 'tool'), one(prompts.size, 'prompt'), one(templates.size, 'template')].join(', ')
}

function showNew({ tools, prompts, templates, instructions }: LockedServer, style: Style): string {
  const list = (kind: string, entries: LockedServer['tools']) =>
    [...entries].map(([name, { definition }]) => {
      const text = definition.description ?? definition.title
      const shown =
        typeof text === 'string' ? `\n${style('dim', fold(sanitizeForDisplay(text), '        '))}` : ''
      return `\n    ${kind} ${sanitizeForDisplay(name)}${shown}`
    })
  const said = instructions
    ? `\n    instructions\n${style('dim', fold(sanitizeForDisplay(instructions.text), '        '))}`
    : ''
  return [...list('tool', tools), ...list('prompt', prompts), ...list('template', templates), said].join('')
}

const json = (value: unknown): string => sanitizeForDisplay(JSON.stringify(value))

function showPart(
  part: string,
  before: LockedServer | undefined,
  after: LockedServer | undefined,
  style: Style,
): string {
  const of = (server: LockedServer | undefined) => json(server?.[part as keyof LockedServer])
  return [
    `    ${part}`,
    style('red', fold(of(before), '      - ')),
    style('green', fold(of(after), '      + ')),
  ].join('\n')
}

/** One moved field: what it was, and what it is now. */
export function showDrift(
  drift: Drift,
  { before, surface }: Pick<ServerDifference, 'before' | 'surface'>,
  style: Style,
): string {
  const what = drift.key ? `${drift.key.kind} ${sanitizeForDisplay(drift.key.name)}` : drift.subject
  const renamed = drift.renamed ? ` (renamed? see ${sanitizeForDisplay(drift.renamed.name)})` : ''
  const reasons =
    drift.reasons.length > 0 ? ` [${drift.severity}: ${drift.reasons.join(', ')}]` : ` [${drift.severity}]`
  const head = `    ${what}: ${drift.field === undefined ? drift.change : `${sanitizeForDisplay(drift.field)} ${drift.change}`}${renamed}${reasons}`
  const old = showValue(memberOf(lockedOf(before, drift), drift.field))
  const now = showValue(memberOf(liveOf(surface, drift), drift.field))
  return [
    head,
    ...(old === undefined ? [] : [style('red', fold(old, '      - '))]),
    ...(now === undefined ? [] : [style('green', fold(now, '      + '))]),
  ].join('\n')
}

const showValue = (value: Json | undefined): string | undefined =>
  value === undefined
    ? undefined
    : sanitizeForDisplay(typeof value === 'string' ? value : JSON.stringify(value))

const memberOf = (definition: Json | undefined, field: string | undefined): Json | undefined => {
  if (field === undefined || typeof definition !== 'object' || definition === null) return definition
  return (definition as Readonly<Record<string, Json>>)[field]
}

function lockedOf(server: LockedServer | undefined, { subject, key }: Drift): Json | undefined {
  if (!server) return undefined
  if (key) {
    const entries = { tool: server.tools, prompt: server.prompts, resource: server.templates }[key.kind]
    return entries.get(key.name)?.definition
  }
  if (subject === 'instructions') return server.instructions?.text
  return subject === 'serverInfo' ? server.serverInfo : server.capabilities
}

function liveOf(surface: Surface | undefined, { subject, key }: Drift): Json | undefined {
  if (!surface) return undefined
  if (key) {
    const list = { tool: surface.tools, prompt: surface.prompts, resource: surface.resourceTemplates }[
      key.kind
    ]
    const member = key.kind === 'resource' ? 'uriTemplate' : 'name'
    return list?.find((item) => (item as Readonly<Record<string, unknown>> | null)?.[member] === key.name) as
      | Json
      | undefined
  }
  if (subject === 'instructions') return surface.instructions ?? undefined
  return (subject === 'serverInfo' ? surface.serverInfo : surface.capabilities) as Json | undefined
}
