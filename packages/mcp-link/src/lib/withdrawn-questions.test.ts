import { describe, expect, it, onTestFinished } from 'vitest'
import type { JsonObject } from './json.ts'
import { connectInMemory } from './memory-link.ts'
import { isJsonObject } from './message.ts'
import type { Outcome } from './outcome.ts'
import type { CallContext, DownstreamContext, Era, Service, Upstream } from './port.ts'

const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } }
const done: Outcome = { kind: 'result', value: { done: true } }
type Handle = (method: string, params: JsonObject, context: DownstreamContext) => Promise<Outcome>

async function connect(handle: Handle, era: Era): Promise<Upstream> {
  const service: Service = {
    declare: () => ({ info: { name: 'x', version: '1' }, capabilities: { tools: {} } }),
    accept: (downstream) => downstream.serve(handle),
  }
  const connected = await connectInMemory('x', service, {
    client: { name: 't', version: '1' },
    capabilities: { elicitation: { form: {} } },
    era,
  })
  if (!connected.ok) throw new Error(connected.failure.message)
  onTestFinished(() => connected.upstream.close())
  return connected.upstream
}

/** A person who is asked and does not answer: tells when the question came, and when it was withdrawn. */
function person() {
  const controller = { asked: () => {}, withdrawn: () => {} }
  const asked = new Promise<void>((resolve) => {
    controller.asked = resolve
  })
  const withdrawn = new Promise<void>((resolve) => {
    controller.withdrawn = resolve
  })
  const ask: CallContext['ask'] = (_method, _params, options) => {
    controller.asked()
    return new Promise((resolve) =>
      options?.signal?.addEventListener('abort', () => {
        controller.withdrawn()
        resolve({ kind: 'error', error: { code: -32000, message: 'withdrawn' } })
      }),
    )
  }
  return { ask, asked, withdrawn }
}
const call = (upstream: Upstream, context: CallContext) =>
  upstream.request('tools/call', { name: 't', arguments: {} }, context)

describe('a question that a legacy client is asked through a relay', () => {
  const chain = async (server: Era, handle: Handle) => {
    const upstream = await connect(handle, server)
    return connect((method, params, context) => upstream.request(method, params, context), 'legacy')
  }

  it('is withdrawn when the server takes it back', async () => {
    const { ask, asked, withdrawn } = person()
    const end = await chain('legacy', async (_method, _params, context) => {
      const controller = new AbortController()
      void context.ask?.('elicitation/create', form, { signal: controller.signal })
      await asked
      controller.abort(new Error('not needed'))
      await withdrawn
      return done
    })
    expect(await call(end, { ask })).toMatchObject(done)
  })

  it('is withdrawn when the server answers the call without waiting for it', async () => {
    const { ask, asked, withdrawn } = person()
    const end = await chain('legacy', async (_method, _params, context) => {
      void context.ask?.('elicitation/create', form)
      await asked
      return done
    })
    expect(await call(end, { ask })).toMatchObject(done)
    await withdrawn
  })

  it.each(['legacy', 'modern'] as const)(
    'is withdrawn when the client cancels its call to a %s server',
    async (server) => {
      const { ask, asked, withdrawn } = person()
      const end = await chain(server, async (_method, _params, context) => {
        const answer = await context.ask?.('elicitation/create', form)
        return answer ?? done
      })
      const controller = new AbortController()
      const outcome = call(end, { ask, signal: controller.signal })
      await asked
      controller.abort(new Error('enough'))
      expect(await outcome).toMatchObject({ failure: 'cancelled' })
      await withdrawn
    },
  )
})

describe('a question that a modern client would be asked', () => {
  it('is not put where it was withdrawn before, and the others are', async () => {
    const answers: unknown[] = []
    const upstream = await connect(async (_method, _params, { ask }) => {
      const controller = new AbortController()
      const [withdrawn, before, kept] = [
        ask?.('elicitation/create', form, { signal: controller.signal }),
        ask?.('elicitation/create', form, { signal: AbortSignal.abort() }),
        ask?.('elicitation/create', form),
      ]
      controller.abort(new Error('not needed'))
      for (const outcome of [withdrawn, before]) answers.push((await outcome) ?? null)
      const answer = await kept
      return answer?.kind === 'result' ? answer : done
    }, 'modern')
    const first = await call(upstream, {})
    const { inputRequests, requestState } = first.kind === 'input_required' ? first.value : {}
    const keys = Object.keys(isJsonObject(inputRequests) ? inputRequests : {})
    expect(keys).toHaveLength(1)
    expect(answers).toMatchObject([{ failure: 'cancelled' }, { failure: 'cancelled' }])
    const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept' }]))
    const retry = { inputResponses, requestState: String(requestState) }
    expect(await call(upstream, { retry })).toMatchObject({ kind: 'result', value: { action: 'accept' } })
  })
})
