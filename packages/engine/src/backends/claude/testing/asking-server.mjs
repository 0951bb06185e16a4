// An MCP server that asks a person by form and by link, for the elicitation tests.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const requestedSchema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 2 }, age: { type: 'integer' } },
  required: ['name'],
}
const asks = {
  form: { message: 'Who are you?', requestedSchema },
  link: { mode: 'url', message: 'Log in there', url: 'https://example.test/login', elicitationId: 'one' },
}

const { server } = new McpServer({ name: 'asker', version: '1' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.keys(asks).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
}))
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const reply = await server.elicitInput(asks[params.name], { timeout: 600_000 })
  return { content: [{ type: 'text', text: JSON.stringify(reply) }] }
})
await server.connect(new StdioServerTransport())
