import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'sdk', version: '1.0.0' })
server.registerTool('double', { inputSchema: { n: z.number() } }, async ({ n }) => ({
  content: [{ type: 'text', text: String(n * 2) }],
}))
server.registerTool('ask', {}, async () => {
  const answer = await server.server.elicitInput({
    message: 'Which?',
    requestedSchema: { type: 'object', properties: { pick: { type: 'string' } } },
  })
  return { content: [{ type: 'text', text: JSON.stringify(answer.content ?? answer.action) }] }
})
await server.connect(new StdioServerTransport())
