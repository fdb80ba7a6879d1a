// A legacy server over HTTP that keeps its sessions in memory: once it was started again, it answers 404 to the ids of
// before. Calls and subscriptions are noted in the file that is named, one line each. A call of `cut` is carried out and never answered;
// one of `claim` is carried out and answered, once a call of `forget` was refused as one of no session, by an error that
// says it may safely be sent again.
// Arguments: the file, the port (0 for any), the description of its tools. Prints its URL.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [file, port, description = 'Notes.'] = process.argv.slice(2)
const sessions = new Set()
const claims = []
const tools = ['note', 'cut', 'claim', 'forget'].map((name) => ({
  name,
  description,
  inputSchema: { type: 'object' },
}))
const capabilities = { tools: {}, resources: { subscribe: true } }
const results = {
  'tools/list': () => ({ tools }),
  'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'One.' }] }),
  'resources/subscribe': ({ uri }) => {
    appendFileSync(file, `+${uri}\n`)
    return {}
  },
  'tools/call': ({ name }) => {
    appendFileSync(file, `${name}\n`)
    return { content: [{ type: 'text', text: 'noted' }] }
  },
}

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const end = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  const session = request.headers['mcp-session-id']
  if (request.method !== 'POST') return end(405)
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
  const answer = (message, headers) => end(200, JSON.stringify({ jsonrpc: '2.0', id, ...message }), headers)
  if (method === 'initialize') {
    const fresh = randomUUID()
    sessions.add(fresh)
    const { protocolVersion } = params
    const result = { protocolVersion, capabilities, serverInfo: { name: 'forgetful', version: '1' } }
    return answer({ result }, { 'mcp-session-id': fresh })
  }
  if (params?.name === 'forget' && claims.length > 0) {
    sessions.clear()
    const held = claims.splice(0)
    setTimeout(() => {
      for (const claim of held) claim()
    }, 300)
  }
  if (session !== undefined && !sessions.has(session)) return end(404, '"no such session"')
  if (id === undefined) return end(202)
  const result = session !== undefined && results[method]?.(params)
  if (!result) return answer({ error: { code: -32601, message: 'Method not found' } })
  if (params?.name === 'cut') return response.destroy()
  if (params?.name === 'claim')
    return claims.push(() => answer({ error: { code: -32000, message: 'later', data: { retry: 'safe' } } }))
  answer({ result })
})
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
