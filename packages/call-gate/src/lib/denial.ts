import type { Key } from '@truename/tool-registry/identity'
import { globMatches } from './glob.ts'
import type { DenialPattern } from './policy.ts'

/** A refusal is a sentence or two: longer texts, such as a document that quotes one, are not looked at. */
export const longestDenial = 1000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The first text block of a tool result that a denial pattern of this pair matches as a whole. */
export function findDenial(denials: readonly DenialPattern[], key: Key, result: object): string | undefined {
  if (key.kind !== 'tool') return undefined
  const mine = denials.filter((one) => globMatches(one.server, key.server) && globMatches(one.tool, key.name))
  if (mine.length === 0) return undefined
  const content: unknown = 'content' in result ? result.content : undefined
  for (const block of Array.isArray(content) ? (content as readonly unknown[]) : []) {
    if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') continue
    if (block.text.length > longestDenial) continue
    const text = block.text.trim().toLowerCase()
    if (mine.some((one) => globMatches(one.text, text))) return block.text
  }
  return undefined
}
