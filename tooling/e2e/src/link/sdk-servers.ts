import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** A server on the v2 line, as its documentation has it; one per request or connection. */
export function sdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '2.0.0' }, { instructions: 'Double things.' })
  server.registerTool('double', { inputSchema: z.object({ n: z.number() }) }, async ({ n }) => ({
    content: [{ type: 'text' as const, text: String(n * 2) }],
  }))
  server.registerTool('ask', {}, async (context) => {
    const responses = context.mcpReq.inputResponses as
      | Record<string, { content?: unknown; action?: string }>
      | undefined
    const answer = responses?.which
    if (answer)
      return { content: [{ type: 'text' as const, text: JSON.stringify(answer.content ?? answer.action) }] }
    return inputRequired({
      inputRequests: {
        which: inputRequired.elicit({
          message: 'Which?',
          requestedSchema: { type: 'object', properties: { pick: { type: 'string' } } },
        }),
      },
      requestState: 'opaque state ✓',
    })
  })
  return server
}
