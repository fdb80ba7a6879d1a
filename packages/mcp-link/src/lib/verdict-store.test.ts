import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@truename/tooling-vitest/temporary'
import { describe, expect, it } from 'vitest'
import type { ServerConfig } from './server-config.ts'
import { createVerdictStore } from './verdict-store.ts'

const http = (id: string, url: string): ServerConfig => ({
  id,
  url,
  kind: 'http',
  headers: {},
  written: {},
  options: {},
})

describe('remembered verdicts', () => {
  it('hold for one server id and one address, not for an origin', () => {
    const store = createVerdictStore()
    store.set(http('a', 'http://x/mcp'), {
      era: 'modern',
      version: '2026-07-28',
      discovered: { capabilities: {} },
    })
    expect(store.get(http('a', 'http://x/mcp'))?.prior).toEqual({ era: 'modern', version: '2026-07-28' })
    expect(store.get(http('b', 'http://x/mcp'))).toBeUndefined()
    expect(store.get(http('a', 'http://x/other'))).toBeUndefined()
    store.forget(http('a', 'http://x/mcp'))
    expect(store.get(http('a', 'http://x/mcp'))).toBeUndefined()
  })
  it('carry their date and run out', () => {
    let now = Date.parse('2026-11-29T00:00:00Z')
    const store = createVerdictStore({ maxAgeMs: 1000, now: () => now })
    store.set(http('a', 'http://x'), { era: 'legacy' })
    expect(store.get(http('a', 'http://x'))).toEqual({
      prior: { era: 'legacy' },
      found: '2026-11-29T00:00:00.000Z',
    })
    now += 1001
    expect(store.get(http('a', 'http://x'))).toBeUndefined()
  })
  it('outlive the process in a file without addresses, are shared with others, and are asked anew where it is damaged', () => {
    const file = join(temporaryFolder(), 'deep', 'verdicts.json')
    const one = createVerdictStore({ file })
    const two = createVerdictStore({ file })
    one.set(http('a', 'http://x/?key=secret'), { era: 'legacy', version: '2025-11-25' })
    two.set(http('b', 'http://y'), { era: 'modern' })
    const three = createVerdictStore({ file })
    expect(three.get(http('a', 'http://x/?key=secret'))?.prior).toEqual({
      era: 'legacy',
      version: '2025-11-25',
    })
    expect(three.get(http('b', 'http://y'))?.prior).toEqual({ era: 'modern' })
    expect(readFileSync(file, 'utf8')).not.toContain('secret')
    for (const damage of ['', '{', '[]', '{"verdicts":{"k":{"prior":{"era":"future"},"found":"x"}}}']) {
      writeFileSync(file, damage)
      expect(createVerdictStore({ file }).get(http('a', 'http://x/?key=secret'))).toBeUndefined()
    }
  })
  it('that cannot be written cost nothing but the next probe', () => {
    const store = createVerdictStore({ file: '/dev/null/no/verdicts.json' })
    expect(() => store.set(http('a', 'http://x'), { era: 'legacy' })).not.toThrow()
  })
})
