import type { Severity } from './drift.ts'
import { isObject, memberOf } from './json.ts'
import type { Key } from './key.ts'
import { sanitizeName } from './sanitize.ts'
import type { ScanFinding } from './scan-finding.ts'
import { keysOfSurface, scanNames } from './scan-names.ts'
import { isSecretParameter, parametersOf } from './scan-parameters.ts'
import { excerptOf, scanText } from './scan-text.ts'
import type { Surface } from './surface.ts'
import { type SurfaceText, surfaceTexts } from './surface-texts.ts'

/** Options of {@link scanSurface}. */
export interface ScanOptions {
  /** The id of the server; an empty text unless given. */
  readonly server?: string | undefined
  /** Keys of the other servers' tools, prompts and templates, to find look-alikes and texts that name them. */
  readonly others?: readonly Key[] | undefined
  /** The most findings; 1,000 unless said otherwise. The gravest are kept. */
  readonly limit?: number | undefined
}

const gravity: readonly Severity[] = ['high', 'medium', 'low', 'info']

/**
 * Looks through everything a server shows, at first sight and without a baseline: every string and every member
 * name, wherever it stands. Findings are evidence for a person: none of them decides anything. Sorted by severity,
 * then by place.
 */
export function scanSurface(surface: Surface, options: ScanOptions = {}): ScanFinding[] {
  const { server = '', others = [], limit = 1000 } = options
  const foreign = others.filter((key) => key.server !== server)
  const mentions = createMentions(foreign, keysOfSurface(surface, server))
  const findings: ScanFinding[] = scanNames(surface, server, foreign)
  for (const text of surfaceTexts(surface, server)) {
    findings.push(...scanOne(text, server), ...mentions(text, server))
  }
  findings.push(...scanParameters(surface, server), ...scanIcons(surface, server))
  return findings.sort((a, b) => gravity.indexOf(a.severity) - gravity.indexOf(b.severity)).slice(0, limit)
}

function scanOne({ text, pointer, key, role }: SurfaceText, server: string): ScanFinding[] {
  return (
    scanText(text)
      // In the name of a member, and in names of definitions, no space is ordinary but U+0020.
      .map((found) =>
        role === 'name' && found.code === 'unusual-space' ? { ...found, severity: 'medium' as const } : found,
      )
      .map((found) => ({ ...found, server, key, pointer }))
  )
}

/** A name that no sentence has by chance: of several words, joined by `_`, `-`, `.` or in camel case. */
const isDistinctive = (name: string): boolean =>
  name.length >= 6 && /^(?:[A-Za-z0-9]+[_.-][A-Za-z0-9_.-]+|[a-z0-9]+[A-Z][A-Za-z0-9]*)$/.test(name)

/** Finds texts that name tools of other servers. Only names that are no ordinary words count. */
function createMentions(foreign: readonly Key[], own: readonly Key[]) {
  const ownNames = new Set(own.map(({ name }) => name))
  const byName = new Map<string, Key[]>()
  for (const key of foreign) {
    if (key.kind !== 'tool' || ownNames.has(key.name) || !isDistinctive(key.name)) continue
    byName.set(key.name, [...(byName.get(key.name) ?? []), key])
  }
  return ({ text, pointer, key }: SurfaceText, server: string): ScanFinding[] => {
    if (byName.size === 0) return []
    for (const word of text.matchAll(/[A-Za-z0-9_.-]{6,}/g)) {
      const named = byName.get(word[0].replace(/[.-]+$/, ''))
      if (!named) continue
      const around = text.slice(Math.max(0, word.index - 80), word.index + word[0].length + 80)
      const directs =
        /\b(?:before|after|instead|whenever|always|never|first|must|do not|don't|when(?:ever)?)\b/i.test(
          around,
        )
      return [
        {
          code: 'names-other-tool',
          severity: directs ? 'medium' : 'info',
          server,
          key,
          pointer,
          characters: [],
          excerpt: excerptOf(text, word.index, word.index + word[0].length),
          message: directs
            ? "text that says when to use or not to use another server's tool"
            : "text that names another server's tool",
          others: named,
        },
      ]
    }
    return []
  }
}

function scanParameters(surface: Surface, server: string): ScanFinding[] {
  return (surface.tools ?? []).flatMap((tool, index) =>
    parametersOf(tool)
      .filter(({ name }) => isSecretParameter(name))
      .map(({ name, pointer }): ScanFinding => {
        const own = isObject(tool) ? memberOf(tool, 'name') : undefined
        return {
          code: 'secret-parameter',
          severity: 'info',
          server,
          key: typeof own === 'string' ? { server, kind: 'tool', name: own } : undefined,
          pointer: `/tools/${index}${pointer}`,
          characters: [],
          excerpt: sanitizeName(name),
          message: 'a parameter that asks for a secret or for the conversation',
        }
      }),
  )
}

/** Icons and links may be `https:` or `data:` (2025-11-25 and later, basic, icons); scripts and local files never. */
function scanIcons(surface: Surface, server: string): ScanFinding[] {
  const findings: ScanFinding[] = []
  for (const { text, pointer, key, role } of surfaceTexts(surface, server)) {
    if (role !== 'value' || !/\/icons\/\d+\/src$|\/websiteUrl$/.test(pointer)) continue
    if (/^(?:https:|data:image\/)/i.test(text)) continue
    const severity: Severity = /^\s*(?:javascript|vbscript|file|data):/i.test(text) ? 'high' : 'low'
    const message = 'an icon or link that is neither https: nor an image in data:'
    findings.push({
      code: 'unsafe-uri',
      severity,
      server,
      key,
      pointer,
      characters: [],
      excerpt: excerptOf(text, 0, 60),
      message,
    })
  }
  return findings
}
