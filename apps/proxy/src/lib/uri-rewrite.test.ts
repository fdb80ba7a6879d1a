import { describe, expect, it } from 'vitest'
import { rewriteResultUris } from './uri-rewrite.ts'

const toClient = (uri: string): string => `kb+${uri}`

describe('the URIs of a result', () => {
  it('are rewritten in links, embedded resources, contents and prompt messages', () => {
    const result = {
      content: [
        { type: 'resource_link', uri: 'demo://r/2', name: 'two' },
        { type: 'resource', resource: { uri: 'demo://r/3', text: 'see demo://r/2' } },
        { type: 'text', text: 'demo://r/2' },
      ],
      messages: [{ role: 'user', content: { type: 'resource', resource: { uri: 'demo://r/4', text: '' } } }],
      contents: [{ uri: 'demo://r/5', text: 'demo://r/2' }],
    }
    expect(rewriteResultUris(result, toClient)).toEqual({
      content: [
        { type: 'resource_link', uri: 'kb+demo://r/2', name: 'two' },
        { type: 'resource', resource: { uri: 'kb+demo://r/3', text: 'see demo://r/2' } },
        { type: 'text', text: 'demo://r/2' },
      ],
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri: 'kb+demo://r/4', text: '' } } },
      ],
      contents: [{ uri: 'kb+demo://r/5', text: 'demo://r/2' }],
    })
  })

  it('stay where a client fetches them itself, and in what is not a resource', () => {
    const result = {
      content: [
        { type: 'resource_link', uri: 'https://example.com/a' },
        { type: 'future', uri: 'demo://r/1' },
      ],
      structuredContent: { uri: 'demo://r/1' },
      _meta: { ui: { resourceUri: 'ui://panel/x' } },
    }
    expect(rewriteResultUris(result, toClient)).toEqual(result)
  })

  it('cost nothing where there are none', () => {
    const result = { structuredContent: { a: 1 } }
    expect(rewriteResultUris(result, toClient)).toBe(result)
  })
})
