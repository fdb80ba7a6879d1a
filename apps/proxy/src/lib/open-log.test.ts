import { parseConfig } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { filledIn } from './open-log.ts'

const secretsOf = (mcpServers: object): readonly string[] => {
  const env = { SHOP_TOKEN: 's3cret-value', OTHER: 'another-one', HOME: '/home/somebody' }
  return filledIn(
    parseConfig(JSON.stringify({ mcpServers }), { file: '/project/truename.json', env }).servers,
  )
}

describe('what the log must never hold', () => {
  it('is every value a variable filled in, and what stands in headers', () => {
    const secrets = secretsOf({
      local: { command: 'node', env: { MY_SHOP: '${SHOP_TOKEN}', MODE: 'production' } },
      remote: {
        url: 'https://shop.example/mcp',
        headers: { Authorization: 'Bearer ${SHOP_TOKEN}', 'X-Key': 'written-out' },
      },
    })
    expect(secrets).toEqual(expect.arrayContaining(['s3cret-value', 'Bearer s3cret-value', 'written-out']))
    expect(secrets).not.toContain('production')
  })

  it('is the value alone where a variable stands within an argument or an address', () => {
    const args = ['--key=${SHOP_TOKEN}', 'a(${OTHER}|${env:SHOP_TOKEN:-x})', '--root', '${HOME}/docs']
    expect(secretsOf({ s: { command: 'node', args } })).toEqual([
      's3cret-value',
      'another-one',
      's3cret-value',
    ])
    expect(secretsOf({ s: { url: 'https://shop.example/${SHOP_TOKEN}/mcp' } })).toEqual(['s3cret-value'])
  })

  it('is what an environment variable holds whose name says that it is secret', () => {
    expect(
      secretsOf({ s: { command: 'node', env: { API_KEY: 'written-out', MODE: 'production' } } }),
    ).toEqual(expect.arrayContaining(['written-out']))
  })
})
