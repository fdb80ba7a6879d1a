import { expect, it } from 'vitest'
import { lockedServer } from '../../test/subscribed-proxy.ts'
import { gatewayCapabilities } from './gateway.ts'

const offers = (...servers: readonly ReturnType<typeof lockedServer>[]) =>
  (gatewayCapabilities(servers).resources as { subscribe?: unknown } | undefined)?.subscribe

it('subscriptions are declared exactly where some server has them and its resources are routed', () => {
  const yes = lockedServer()
  const no = lockedServer({ resources: { listChanged: true } })
  expect([offers(yes), offers(no, yes)]).toEqual([true, true])
  expect([offers(), offers(no)]).toEqual([undefined, undefined])
  for (const value of [false, 'true', 1, null, {}])
    expect(offers(lockedServer({ resources: { subscribe: value } }))).toBeUndefined()
  expect(offers(lockedServer({ subscribe: true }))).toBeUndefined()
  expect(offers(lockedServer(undefined, { modes: { resources: 'off' } }))).toBeUndefined()
  const nothing = { ...yes, uriSpace: { templates: [], prefixes: [], exact: [] } }
  expect(offers(nothing)).toBeUndefined()
})
