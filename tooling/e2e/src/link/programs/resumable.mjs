// A legacy server over HTTP whose event streams are cut before the answer. A call of `answered` can be taken up again;
// of the others every attempt fails, after `delayMs`. Prints its port.
import { createServer } from 'node:http'

const open = new Map()
const send = (response, status, type, body) => response.writeHead(status, { 'content-type': type }).end(body)

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const resumed = request.headers['last-event-id']
  if (resumed !== undefined) {
    const { id, name, delayMs = 0 } = open.get(resumed)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (name === 'page') return send(response, 200, 'text/html', '<h1>Login</h1>')
    if (name !== 'answered') return send(response, 503, 'text/plain', 'not now')
    const message = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: resumed }] } }
    return send(response, 200, 'text/event-stream', `data: ${JSON.stringify(message)}\n\n`)
  }
  if (request.method !== 'POST') return send(response, 405, 'text/plain', '')
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
  if (id === undefined) return send(response, 202, 'text/plain', '')
  if (method === 'initialize') {
    const { protocolVersion } = params
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    return send(response, 200, 'application/json', JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
  const event = `event-${id}`
  open.set(event, { id, name: params.name, ...params.arguments })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`retry: 5\nid: ${event}\ndata: \n\n`)
  setTimeout(() => (params.arguments.ends ? response.end() : response.destroy()), 20)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
