// A stdio server that says what it is told to. The handshake: what stands in its arguments, JSON lists of lines, one
// list for each request; afterwards, for a call, the lines in `arguments.lines`, repeated `arguments.times`.
import { createInterface } from 'node:readline'

const script = process.argv.slice(2).map((text) => JSON.parse(text))
const say = (line, id) => process.stdout.write(`${line.replaceAll('"$ID"', JSON.stringify(id))}\n`)
const honest = (id, result) => say(JSON.stringify({ jsonrpc: '2.0', id, result }))

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} }
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  const lines = script.shift()
  if (lines !== undefined) {
    for (const text of lines) say(text, id)
    return
  }
  if (method === 'server/discover')
    return honest(id, { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities })
  if (method === 'initialize')
    return honest(id, {
      protocolVersion: '2025-11-25',
      capabilities,
      serverInfo: { name: 's', version: '1' },
    })
  if (method !== 'tools/call') return honest(id, { resultType: 'complete', tools: [] })
  const { lines: told = [], times = 1, answers = false } = params.arguments
  for (let time = 0; time < times; time += 1) {
    for (const text of told) say(text, id)
    if (process.stdout.writableNeedDrain) await new Promise((done) => process.stdout.once('drain', done))
  }
  if (answers) honest(id, { resultType: 'complete', content: [] })
})
