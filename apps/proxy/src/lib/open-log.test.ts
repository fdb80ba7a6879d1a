import { parseConfig } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { filledIn } from './open-log.ts'

describe('what the log must never hold', () => {
  it('is every value a variable filled in, and what stands in headers', () => {
    const mcpServers = {
      local: { command: 'node', env: { TOKEN: '${SHOP_TOKEN}', MODE: 'production' } },
      remote: {
        url: 'https://shop.example/mcp',
        headers: { Authorization: 'Bearer ${SHOP_TOKEN}', 'X-Key': 'written-out' },
      },
    }
    const env = { SHOP_TOKEN: 's3cret-value' }
    const { servers } = parseConfig(JSON.stringify({ mcpServers }), { file: '/project/truename.json', env })
    expect(filledIn(servers)).toEqual(
      expect.arrayContaining(['s3cret-value', 'Bearer s3cret-value', 'written-out']),
    )
    expect(filledIn(servers)).not.toContain('production')
  })
})
