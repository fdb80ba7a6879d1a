import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { createRandom } from './testing/brute-force.ts'
import {
  addStep,
  beginTrace,
  failedStep,
  joinTraces,
  locateStep,
  matchSteps,
  noMatchStep,
  type ReadTrace,
  traceSteps,
} from './trace.ts'

describe('the trace of a read', () => {
  const uri = 'docs://catalog/a%2Fb'
  const match = matchTemplate('docs://catalog/{name}', uri)

  it('is plain JSON with template, raw and decoded values', () => {
    expect(JSON.parse(JSON.stringify(match?.trace))).toEqual({
      version: 1,
      uri,
      steps: [
        {
          step: 'match',
          ok: true,
          template: 'docs://catalog/{name}',
          uri,
          raw: [
            { type: 'literal', text: 'docs://catalog/' },
            { type: 'value', text: 'a%2Fb', name: 'name' },
          ],
        },
        { step: 'decode', ok: true, values: { name: 'a/b' } },
      ],
    })
  })

  it('joins what client and server wrote of one read into the seven steps', () => {
    const template = 'docs://catalog/{name}'
    let client = beginTrace(uri, { side: 'client', id: '1' })
    client = addStep(client, { step: 'declare', ok: true, template, listedAt: '2026-01-01T00:00:00Z' })
    client = addStep(client, { step: 'fill', ok: true, values: { name: 'a/b' } })
    client = addStep(client, { step: 'encode', ok: true, uri })
    client = addStep(client, { step: 'send', ok: true, uri })
    const server = addStep(
      { ...beginTrace(uri, { side: 'server', id: '1' }), steps: match?.trace.steps ?? [] },
      locateStep('a/b', false, 'no such document'),
    )
    const other = addStep(
      beginTrace('x:1', { side: 'server', id: '2' }),
      noMatchStep('x:1', 'no template matches'),
    )
    const [read, second] = joinTraces([server, other, client])
    expect(read?.steps.map(({ step }) => step)).toEqual(traceSteps)
    expect(read?.steps.map(({ side }) => side)).toEqual([
      ...Array(4).fill('client'),
      ...Array(3).fill('server'),
    ])
    expect(failedStep(server)).toMatchObject({ step: 'locate', reason: 'no such document' })
    expect(second).toMatchObject({ id: '2', steps: [{ step: 'match', ok: false }] })
  })

  it('joins each read by its id, whatever a proxy made of the URI, and by the URI where no id is carried', () => {
    const random = createRandom(61)
    const sides = ['client', 'proxy', 'server'] as const
    for (let round = 0; round < 200; round += 1) {
      const reads = Array.from({ length: 1 + random(5) }, (_, at) => {
        const id = random(4) === 0 ? undefined : `id ${at}`
        const uris = sides.map((side) => `x:${at}${id !== undefined && random(2) === 0 ? side : ''}`)
        const from = random(sides.length)
        return sides
          .map((side, place) => ({
            ...beginTrace(uris[place]!, { side, ...(id !== undefined && { id }) }),
            steps: matchSteps(matchTemplate('x:{v}', uris[place]!)!),
          }))
          .slice(from)
      })
      const traces = reads.flat()
      const shuffled = traces.map((trace) => ({ trace, key: random(1000) })).sort((a, b) => a.key - b.key)
      const joined = joinTraces(shuffled.map(({ trace }) => trace))
      const inOrder = (uri: string): number => reads.findIndex(([first]) => first!.uri === uri)
      joined.sort((left, right) => inOrder(left.uri) - inOrder(right.uri))
      expect(joined).toEqual(
        reads.map(([first, ...others]) => ({
          ...(first!.id !== undefined && { id: first!.id }),
          uri: first!.uri,
          steps: [0, 1].flatMap((at) =>
            [first!, ...others].map(({ side, steps }) => ({ ...steps[at], side })),
          ),
        })),
      )
    }
  })

  it('keeps reads apart that one side wrote under one id', () => {
    const trace = (side: NonNullable<ReadTrace['side']>, of: string): ReadTrace =>
      addStep(beginTrace(of, { side, id: '1' }), noMatchStep(of, ''))
    const uris = (...traces: ReadTrace[]): string[] => joinTraces(traces).map((read) => read.uri)
    expect(uris(trace('client', 'a'), trace('server', 'a'), trace('client', 'b'))).toEqual(['a', 'b'])
    expect(uris(trace('server', 'b'), trace('client', 'a'), trace('client', 'a'))).toEqual(['a'])
    expect(uris(beginTrace('a', { id: '1' }), beginTrace('b', { id: '1' }))).toEqual(['a'])
  })

  it('keeps one entry for a step', () => {
    const trace = addStep(addStep(beginTrace(uri), locateStep('a', false)), locateStep('a', true))
    expect(trace.steps).toEqual([{ step: 'locate', ok: true, identifier: 'a' }])
    expect(failedStep(trace)).toBeUndefined()
  })
})
