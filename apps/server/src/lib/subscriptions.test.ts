import type { Downstream } from '@truename/mcp-link'
import { describe, expect, it } from 'vitest'
import { createSubscriptions } from './subscriptions.ts'

const client = () => {
  const heard: unknown[] = []
  const ends: (() => void)[] = []
  const downstream = {
    notify: async (method: string, params?: { uri?: unknown }) =>
      void heard.push(params?.uri ?? method.split('/').at(-1)),
    onClose: (listener: () => void) => ends.push(listener),
  } as unknown as Downstream
  const end = (): void => {
    for (const listener of ends) listener()
  }
  return { downstream, heard, end }
}
const only = (uri: string) => ({ resourceSubscriptions: [uri] })
const written = (...paths: string[]) => ({ listing: false, paths: new Set(paths) })

describe('subscriptions', () => {
  it('tell who subscribed, by the spelling it used, and nobody else', () => {
    const files = new Map([
      ['docs://catalog/a%2Bb', 'sum.txt'],
      ['docs://catalog/a+b', 'sum.txt'],
      ['docs://catalog/c', 'other.txt'],
    ])
    const subscriptions = createSubscriptions((uri) => files.get(uri))
    const [x, y, z] = [client(), client(), client()]
    for (const { downstream } of [x, y, z]) subscriptions.add(downstream)
    subscriptions.listen(x.downstream, only('docs://catalog/a+b'))
    subscriptions.listen(y.downstream, only('docs://catalog/a%2Bb'))
    subscriptions.listen(z.downstream, only('docs://catalog/c'))
    subscriptions.announce(written('sum.txt'))
    expect([x.heard, y.heard, z.heard]).toEqual([['docs://catalog/a+b'], ['docs://catalog/a%2Bb'], []])
  })

  it('tell everybody when the list has changed', () => {
    const subscriptions = createSubscriptions(() => undefined)
    const { downstream, heard } = client()
    subscriptions.add(downstream)
    subscriptions.announce({ listing: true, paths: new Set() })
    expect(heard).toEqual(['list_changed'])
  })

  it('outlive a document that goes, comes back, and then lies in another file', () => {
    let file: string | undefined = 'one.txt'
    const subscriptions = createSubscriptions(() => file)
    const { downstream, heard } = client()
    subscriptions.add(downstream)
    subscriptions.listen(downstream, only('docs://catalog/a'))
    file = undefined
    subscriptions.announce(written('one.txt'))
    expect(subscriptions.listen(downstream, only('docs://catalog/a'))).toEqual(only('docs://catalog/a'))
    file = 'two.txt'
    subscriptions.announce(written())
    subscriptions.announce(written('one.txt'))
    subscriptions.announce(written('two.txt'))
    expect(heard).toHaveLength(3)
  })

  it('honour only what names a document, and end with the client', () => {
    const subscriptions = createSubscriptions((uri) => (uri === 'docs://catalog/a' ? 'a.txt' : undefined))
    const { downstream, heard, end } = client()
    subscriptions.add(downstream)
    const asked = {
      toolsListChanged: true,
      resourceSubscriptions: ['docs://catalog/a', 'docs://catalog/none'],
    }
    expect(subscriptions.listen(downstream, asked)).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['docs://catalog/a'],
    })
    end()
    subscriptions.announce(written('a.txt'))
    expect(subscriptions.listen(downstream, asked)).toEqual({})
    expect(heard).toEqual([])
  })
})
