import { join } from 'node:path'
import { parseConfig } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { CommandError } from './command-error.ts'
import { readSettings } from './settings.ts'

const folder = join('/', 'project')

const configOf = (truename: object) =>
  parseConfig(JSON.stringify({ mcpServers: { kb: { command: 'node' } }, truename }), {
    file: join(folder, 'truename.json'),
    env: {},
  })

describe('the truename key of a configuration', () => {
  it('has a default for everything, with places beside the file', () => {
    expect(readSettings(configOf({}))).toMatchObject({
      lockFile: join(folder, 'truename.lock.json'),
      logFolder: join(folder, '.truename', 'decisions'),
      limits: { nameLength: 48, callTimeoutMs: 300_000 },
      warnings: [],
    })
  })

  it('reports members nobody reads, with a suggestion, and goes on', () => {
    const { warnings } = readSettings(
      configOf({
        polcy: [],
        limits: { nameLenght: 40 },
        servers: { kb: { urls: 'prefixed', colour: 'red' }, other: {} },
      }),
    )
    expect(warnings).toEqual([
      'truename.polcy is not known (did you mean "policy"?)',
      'truename.limits.nameLenght is not known (did you mean "nameLength"?)',
      'truename.servers.kb.urls is not known (did you mean "uris"?)',
      'truename.servers.kb.colour is not known (known: uris, resources, profile, verifyEverySeconds)',
      'truename.servers.other: no server of that name is configured',
    ])
  })

  it('refuses values a member cannot have, naming it', () => {
    const read = () => readSettings(configOf({ servers: { kb: { uris: 'sometimes' } } }))
    expect(read).toThrow(CommandError)
    expect(read).toThrow(/truename\.servers\.kb\.uris/)
    expect(() => readSettings(configOf({ limits: { nameLength: 20 } }))).toThrow(
      /truename\.limits\.nameLength/,
    )
    for (const limit of ['subscriptionsPerClient', 'subscriptionsPerServer']) {
      for (const value of [0, -1, 1.5, '100'])
        expect(() => readSettings(configOf({ limits: { [limit]: value } }))).toThrow(
          `truename.limits.${limit}`,
        )
      expect(readSettings(configOf({ limits: { [limit]: 1 } })).limits).toMatchObject({ [limit]: 1 })
    }
  })

  it('refuses a policy file that is not there', () => {
    expect(() => readSettings(configOf({ policy: 'rules.json' }))).toThrow(
      /rules\.json: the policy file is not there/,
    )
  })

  it('can turn the log off', () => {
    expect(readSettings(configOf({ log: false })).logFolder).toBe(false)
  })
})
