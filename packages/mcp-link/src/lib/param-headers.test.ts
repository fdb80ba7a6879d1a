import { describe, expect, it } from 'vitest'
import { createParamHeaders } from './param-headers.ts'

const object = (properties: object) => ({ type: 'object', properties }) as never

describe('arguments that travel as headers', () => {
  it('are made for the tools that were listed, encoded, and left out where absent or null', () => {
    const headers = createParamHeaders()
    const inputSchema = object({
      r: { type: 'string', 'x-mcp-header': 'R' },
      n: { type: 'integer', 'x-mcp-header': 'N' },
    })
    headers.learn('tools/list', {
      kind: 'result',
      value: { tools: [{ name: 't', inputSchema }, 5, { name: 1 }] },
    })
    const of = (args: object, name = 't') => headers.of('tools/call', { name, arguments: args as never })
    expect(of({ r: 'Юг', n: 3 })).toEqual({ 'Mcp-Param-R': '=?base64?0K7Qsw==?=', 'Mcp-Param-N': '3' })
    expect(of({ r: null })).toEqual({})
    expect(of({ r: ['x'] })).toEqual({})
    expect(of({ r: 'x' }, 'other')).toEqual({})
    headers.learn('tools/list', { kind: 'result', value: { tools: [{ name: 't', inputSchema: {} }] } })
    expect(of({ r: 'x' })).toEqual({})
  })

  it('are checked by a server against the arguments of the call', () => {
    const headers = createParamHeaders()
    const inputSchema = object({
      r: { type: 'string', 'x-mcp-header': 'R' },
      n: { type: 'integer', 'x-mcp-header': 'N' },
    })
    headers.learn('tools/list', { kind: 'result', value: { tools: [{ name: 't', inputSchema }] } })
    const wrong = (args: object, sent: Record<string, string>) =>
      headers.mismatch(new Headers(sent), 'tools/call', { name: 't', arguments: args as never }) !== undefined
    expect(wrong({ r: 'Юг', n: 3 }, { 'mcp-param-r': '=?base64?0K7Qsw==?=', 'mcp-param-n': '3.0' })).toBe(
      false,
    )
    expect(wrong({}, {})).toBe(false)
    expect(wrong({ r: null }, {})).toBe(false)
    expect(wrong({ r: 'a' }, {})).toBe(true)
    expect(wrong({ r: 'a' }, { 'mcp-param-r': 'b' })).toBe(true)
    expect(wrong({}, { 'mcp-param-r': 'b' })).toBe(true)
    expect(wrong({ r: 'a' }, { 'mcp-param-r': '=?base64?/w==?=' })).toBe(true)
    expect(wrong({ n: 0 }, { 'mcp-param-n': '' })).toBe(true)
    expect(wrong({ r: 'a' }, { 'mcp-param-r': 'a', 'mcp-param-unknown': 'x' })).toBe(false)
  })
})
