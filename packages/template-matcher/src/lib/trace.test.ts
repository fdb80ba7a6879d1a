import { describe, expect, it } from 'vitest'
import { matchTemplate } from './match-template.ts'
import { addStep, beginTrace, failedStep, joinTraces, locateStep, noMatchStep, traceSteps } from './trace.ts'

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

  it('keeps one entry for a step', () => {
    const trace = addStep(addStep(beginTrace(uri), locateStep('a', false)), locateStep('a', true))
    expect(trace.steps).toEqual([{ step: 'locate', ok: true, identifier: 'a' }])
    expect(failedStep(trace)).toBeUndefined()
  })
})
