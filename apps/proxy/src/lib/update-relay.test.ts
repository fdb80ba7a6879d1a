import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createUpdateRelay } from './update-relay.ts'

const whole = 'x://a'
const pauseMs = 100

/** A client that takes what it is told after a while, and how many messages are on their way to it at once. */
function slowClient(takesMs: number) {
  const told: { readonly uri: string; readonly at: number }[] = []
  let underWay = 0
  let most = 0
  const relay = createUpdateRelay(
    async (uri) => {
      told.push({ uri, at: Date.now() })
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise((resolve) => setTimeout(resolve, takesMs))
      underWay -= 1
    },
    { whole: () => whole, pauseMs },
  )
  return { relay, told, most: () => most }
}

it('tells a first change at once and covers each later one, with never more than one on its way', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const change = fc.record({ after: fc.nat(150), uri: fc.constantFrom(whole, `${whole}/1`, `${whole}/2`) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 20 }),
      fc.nat(300),
      async (changes, takesMs) => {
        const { relay, told, most } = slowClient(takesMs)
        const made: { readonly uri: string; readonly at: number }[] = []
        for (const { after, uri } of changes) {
          await vi.advanceTimersByTimeAsync(after)
          made.push({ uri, at: Date.now() })
          relay.changed(uri)
        }
        await vi.advanceTimersByTimeAsync(10_000)
        expect(told[0]).toEqual(made[0])
        for (const { uri, at } of made)
          expect(told.some((one) => one.at >= at && (one.uri === uri || one.uri === whole))).toBe(true)
        for (const [index, { at }] of told.entries())
          if (index > 0) expect(at - (told[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(pauseMs)
        expect(most()).toBe(1)
        expect(told.length).toBeLessThanOrEqual(made.length)
      },
    ),
  )
})

it('names what changed where that is one thing, and the whole where it is several', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { relay, told } = slowClient(0)
  for (const uri of ['/1', '/2', '/2']) relay.changed(whole + uri)
  await vi.advanceTimersByTimeAsync(pauseMs)
  for (const uri of ['/3', '/4']) relay.changed(whole + uri)
  await vi.advanceTimersByTimeAsync(pauseMs)
  expect(told.map(({ uri }) => uri)).toEqual([`${whole}/1`, `${whole}/2`, whole])
  relay.changed(`${whole}/5`)
  relay.close()
  relay.changed(`${whole}/6`)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(told).toHaveLength(3)
})

it('goes on where telling fails', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let times = 0
  const tell = async (): Promise<void> => {
    times += 1
    throw new Error('gone')
  }
  const relay = createUpdateRelay(tell, { whole: () => whole, pauseMs })
  relay.changed(whole)
  relay.changed(whole)
  await vi.advanceTimersByTimeAsync(pauseMs)
  expect(times).toBe(2)
})
