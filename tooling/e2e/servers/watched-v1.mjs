// A server on version 1 of the SDK whose resources can be subscribed to. What it is asked of subscriptions is noted in the
// file that is named, one line each. The tool `touch` sends an update of a URI, whoever subscribed to what; `leave` ends
// the process. Argument: the file.
import { appendFileSync } from 'node:fs'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'

const [file] = process.argv.slice(2)
const server = new Server(
  { name: 'watched', version: '1.0.0' },
  { capabilities: { tools: {}, resources: { subscribe: true } } },
)
const inputSchema = { type: 'object', properties: { uri: { type: 'string' } } }
const note = (line) => appendFileSync(file, `${line}\n`)

server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [
    { name: 'touch', inputSchema },
    { name: 'leave', inputSchema },
  ],
}))
server.setRequestHandler(ListResourcesRequestSchema, async () => ({
  resources: [{ uri: 'note://one', name: 'one' }],
}))
server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
  resourceTemplates: [{ name: 'note', uriTemplate: 'note://{name}' }],
}))
server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
  contents: [{ uri, text: 'A note.' }],
}))
server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
  note(`+${uri}`)
  return {}
})
server.setRequestHandler(UnsubscribeRequestSchema, async ({ params: { uri } }) => {
  note(`-${uri}`)
  return {}
})
server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given } }) => {
  if (name === 'leave') process.exit(1)
  await server.sendResourceUpdated({ uri: String(given?.uri) })
  return { content: [{ type: 'text', text: 'touched' }] }
})

await server.connect(new StdioServerTransport())
