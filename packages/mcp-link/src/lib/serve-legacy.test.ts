import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from './json.ts'
import { createMemoryPair } from './memory-pair.ts'
import type { WireMessage } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { Downstream, Service } from './port.ts'
import { serveConnection } from './serve-connection.ts'
import { createServing } from './serve-options.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const listChanged = 'notifications/tools/list_changed'

/** A legacy client in the hands of the test, and what reaches it, of a server that greets whoever it accepts. */
async function greeted(greet: (downstream: Downstream) => void) {
  const [near, far] = createMemoryPair()
  const heard: unknown[] = []
  const events: string[] = []
  near.onmessage = ((message: JsonObject) => {
    heard.push(message.method ?? message.id)
    // Whatever it is asked it answers.
    if (message.method && message.id !== undefined)
      void near.send({ jsonrpc: '2.0', id: message.id as number, result: {} })
  }) as (message: never) => void
  await near.start()
  const service: Service = {
    declare: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: { listChanged: true } } }),
    accept(downstream) {
      downstream.serve(async () => ({ kind: 'result', value: {} }))
      greet(downstream)
    },
  }
  const serving = createServing({ onEvent: ({ message }) => events.push(message) })
  const connection = serveConnection(far, service, { serving, profile: 'p' })
  await connection.start()
  onTestFinished(() => connection.close())
  const say = async (message: object) => {
    await near.send({ jsonrpc: '2.0', ...message } as WireMessage)
    await turn()
  }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {} },
    clientInfo: { name: 'c', version: '1' },
  }
  await say({ id: 'init', method: 'initialize', params })
  return { heard, events, say, near }
}

describe('what a service sends to a client it has just accepted', () => {
  it.each([
    ['said that it is initialized', { method: 'notifications/initialized' }, []],
    ['asked for something', { id: 'first', method: 'tools/list', params: {} }, ['first']],
  ])('goes out when the client has %s, after the answer to initialize', async (_, message, answered) => {
    const outcomes: Outcome[] = []
    const { heard, say } = await greeted((downstream) => {
      void downstream.notify(listChanged)
      void downstream.request('roots/list', {}).then((outcome) => outcomes.push(outcome))
    })
    await say({ id: 'ping', method: 'ping' })
    expect(heard).toEqual(['init', 'ping'])
    await say(message)
    await turn()
    expect(heard.slice(2).sort()).toEqual([...answered, listChanged, 'roots/list'].sort())
    expect(outcomes).toEqual([{ kind: 'result', value: {} }])
  })

  it('is not asked any more once it is taken back', async () => {
    const controller = new AbortController()
    let asked: Promise<Outcome> | undefined
    const { heard, say } = await greeted((downstream) => {
      asked = downstream.request('roots/list', {}, { signal: controller.signal })
    })
    controller.abort(new Error('not needed'))
    expect(await asked).toMatchObject({ failure: 'cancelled', error: { message: 'not needed' } })
    await say({ method: 'notifications/initialized' })
    expect(heard).toEqual(['init'])
  })

  it('is no hindrance to whoever sends it, is kept up to a number, and ends with the connection', async () => {
    let asked: Promise<Outcome> | undefined
    let sent = 0
    const { heard, events, near } = await greeted((downstream) => {
      asked = downstream.request('roots/list', {})
      for (let n = 0; n < 300; n += 1) void downstream.notify(listChanged).then(() => (sent += 1))
    })
    expect([sent, heard, events.length]).toEqual([300, ['init'], 44])
    await near.close()
    expect(await asked).toMatchObject({ failure: 'closed' })
  })
})
