import { describe, expect, it } from 'vitest'
import { changedModes } from './verify-command.ts'

describe('the modes of a server', () => {
  const locked = { pin: 'locked', uris: 'prefixed', resources: 'on' } as const

  it('are as they were locked where the configuration says the same, or leaves the default', () => {
    expect(changedModes(locked, { uris: 'prefixed' })).toEqual([])
    expect(changedModes({ ...locked, uris: 'plain' }, {})).toEqual([])
  })

  it('are named where the configuration has been changed since', () => {
    expect(changedModes(locked, {})).toEqual(['uris'])
    expect(changedModes(locked, { uris: 'plain', resources: 'off' })).toEqual(['uris', 'resources'])
  })
})
