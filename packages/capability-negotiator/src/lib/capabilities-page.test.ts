import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { capabilitiesPage } from '../../scripts/capabilities-page.mjs'
import { LISTEN_FLAGS, MESSAGES } from './messages.ts'
import { REVISIONS } from './versions.ts'

const file = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'capabilities.md')
const printed = capabilitiesPage({ messages: MESSAGES, revisions: REVISIONS, listenFlags: LISTEN_FLAGS })

describe('the page of capabilities', () => {
  it('says what the table says: print it again where this fails', () => {
    expect(readFileSync(file, 'utf8')).toBe(printed)
  })

  it('has a row for every message and one for every variant', () => {
    for (const { method } of MESSAGES) expect(printed).toContain(`| \`${method}\``)
    const rows = printed.split('\n').filter((line) => line.startsWith('| … '))
    expect(rows).toHaveLength(MESSAGES.reduce((sum, { variants }) => sum + (variants?.length ?? 0), 0))
    const width = (line: string) => line.split('|').length
    const table = printed.split('\n').filter((line) => line.startsWith('| `') && width(line) > 5)
    expect(table).toHaveLength(MESSAGES.length)
    expect(new Set(table.map(width))).toEqual(new Set([REVISIONS.length + 3]))
  })

  it('shows a changed need', () => {
    const changed = MESSAGES.map((rule) =>
      rule.method === 'tools/list'
        ? { ...rule, needs: { ...rule.needs, '2025-11-25': { is: 'absent' as const } } }
        : rule,
    )
    expect(capabilitiesPage({ messages: changed, revisions: REVISIONS, listenFlags: LISTEN_FLAGS })).not.toBe(
      printed,
    )
  })
})
