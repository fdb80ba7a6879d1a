// A stdio server that misbehaves in the way its first argument names, as servers in the field do.
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [mode = '', record] = process.argv.slice(2)
const note = (line) => record && appendFileSync(record, `${line}\n`)
const write = (text) => process.stdout.write(text)
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
note(`started ${process.pid}`)

const capabilities = mode === 'declares-more' ? { tools: {}, prompts: {}, resources: {} } : { tools: {} }
const version = { 'wrong-version': '2099-01-01', 'old-version': '2024-11-05' }[mode]

if (mode === 'banner') write('Server starting…\nlistening\n')
if (mode === 'stderr') process.stderr.write('loading\nError: no API key\n')
if (mode === 'exits') {
  process.stderr.write('fatal: it cannot work like this\n')
  process.exitCode = 3
}
if (mode === 'grandchild') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  note(`started ${child.pid}`)
}
if (mode === 'stubborn') {
  process.on('SIGTERM', () => note('TERM'))
  setInterval(() => undefined, 1000)
}

const probes = {
  'probe-exit': () => process.exit(1),
  'probe-silent': () => undefined,
  'probe-method': (id) => send({ id, error: { code: -32601, message: 'Method not found' } }),
  'probe-params': (id) => send({ id, error: { code: -32602, message: 'Invalid params' } }),
  'probe-server': (id) => send({ id, error: { code: -32000, message: 'Not initialized' } }),
  'probe-null': () => send({ id: null, error: { code: -32600, message: 'Invalid Request' } }),
  'probe-text': (id) => {
    write('what is this?\n')
    send({ id, error: { code: 0, message: 'unknown' } })
  },
  'probe-result': (id) => send({ id, result: {} }),
}

const answer = (id, method, params) => {
  if (method === 'initialize') {
    const result = {
      protocolVersion: version ?? params.protocolVersion,
      capabilities,
      serverInfo: { name: 'm', version: '1' },
    }
    if (mode === 'late') return setTimeout(() => send({ id, result }), 400)
    if (mode === 'glued') write('loading plugins… ')
    if (mode === 'never') return undefined
    return send({ id, result })
  }
  if (method === 'tools/list') {
    if (mode === 'glued') write('listing… ')
    if (mode === 'noise') {
      write('[]\n42\n"x"\nnull\n{}\n\n   \nplain text\n{"jsonrpc":"2.0"}\n{"half":\n')
      return write(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\r\n`)
    }
    if (mode === 'dies') return process.exit(7)
    if (mode === 'repeats')
      return send({ id, result: { tools: [{ name: `t-${params.cursor ?? ''}` }], nextCursor: 'same' } })
    if (mode === 'counts') {
      const page = Number(params.cursor ?? 0)
      return send({
        id,
        result: { tools: [{ name: `t${page}` }], ...(page < 3 ? { nextCursor: String(page + 1) } : {}) },
      })
    }
    if (mode === 'empty-cursor') {
      return send({
        id,
        result: {
          tools: [{ name: `t${params.cursor ?? 'first'}` }],
          ...(params.cursor === undefined ? { nextCursor: '' } : {}),
        },
      })
    }
    if (mode === 'strangers') {
      send({ id: 999, result: {} })
      send({ id: String(id), result: { tools: 'not for you' } })
      send({ method: 'notifications/progress', params: { progressToken: 12345, progress: 1 } })
      send({ method: 'notifications/cancelled', params: { requestId: 77 } })
    }
    return send({ id, result: { tools: [{ name: 'one' }] } })
  }
  return send({ id, error: { code: -32601, message: 'Method not found' } })
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  note(method)
  if (mode === 'exits') process.exit()
  if (id === undefined) return
  if (method === 'server/discover') {
    const probe = probes[mode] ?? probes['probe-method']
    return probe(id)
  }
  answer(id, method, params ?? {})
})
