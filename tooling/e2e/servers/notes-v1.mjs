// A server on version 1 of the SDK, as its users write one: notes as tools, a template and a prompt.
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'notes', version: '1.0.0' }, { instructions: 'Notes are short.' })

server.registerTool(
  'search',
  {
    title: 'Search notes',
    description: 'Finds notes.',
    inputSchema: { query: z.string() },
    annotations: { readOnlyHint: true },
  },
  async ({ query }) => ({
    content: [{ type: 'text', text: `notes-v1 looked for ${query}` }],
    structuredContent: { query },
  }),
)

server.registerTool(
  'slow',
  { description: 'Reports progress, then ends.', inputSchema: { steps: z.number() } },
  async ({ steps }, extra) => {
    const progressToken = extra._meta?.progressToken
    for (let step = 1; step <= steps; step += 1) {
      if (progressToken !== undefined) {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: step, total: steps },
        })
      }
    }
    return { content: [{ type: 'text', text: `${steps} steps` }] }
  },
)

server.registerTool('fails', { description: 'Fails as tools do.' }, async () => ({
  content: [{ type: 'text', text: 'out of paper' }],
  isError: true,
}))

server.registerResource(
  'note',
  new ResourceTemplate('note://{name}', { list: undefined }),
  { title: 'A note' },
  async (uri) => ({ contents: [{ uri: uri.href, text: `the note at ${uri.href}` }] }),
)

server.registerPrompt('greet', { description: 'Greets.', argsSchema: { who: z.string() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Hello, ${who}` } }],
}))

await server.connect(new StdioServerTransport())
