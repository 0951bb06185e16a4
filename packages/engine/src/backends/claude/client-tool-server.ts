// The tools of clients as the CLI sees them: an MCP server inside this process, whose list follows the clients.
import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js'
import type { AgentPath } from '@quarterdeck/protocol'
import { clientToolName } from '../../client-tool.ts'
import { within } from '../../within.ts'
import type { ClientToolbox } from '../backend.ts'
import type { ClaudeProcess } from './claude-process.ts'

export interface ClientToolServer {
  /** What a process is started with: nothing while no client offers a tool, because a server costs time at the start. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Tells the process of changes for as long as it lives; what is said to it meanwhile waits until it knows them. */
  follow(process: ClaudeProcess): ClaudeProcess
}

/** One for each process: a server speaks with one client in its life. */
export function createClientToolServer(
  toolbox: ClientToolbox,
  takeAgentOf: (toolUseId: string) => AgentPath,
): ClientToolServer {
  const server = new McpServer({ name: 'client', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  let onListed = () => {}
  server.server.setRequestHandler(ListToolsRequestSchema, () => {
    onListed()
    return { tools: toolbox.list().map(asMcpTool) }
  })
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta }) => {
    // The CLI says which call this is (measured): parallel calls with the same input are not mixed up.
    const toolUseId = _meta?.['claudecode/toolUseId']
    if (typeof toolUseId !== 'string') return resultOf({ output: 'The call has no id: it was not run.', isError: true })
    const toolName = clientToolName(params.name)
    const call = { toolName, toolInput: { ...params.arguments }, toolUseId, agent: takeAgentOf(toolUseId) }
    return resultOf(await toolbox.call(call, signal))
  })
  const servers = { client: { type: 'sdk', name: 'client', instance: server, alwaysLoad: true } as const }
  let isThere = toolbox.list().length > 0

  async function tell(process: ClaudeProcess): Promise<void> {
    const listed = new Promise<void>((resolve) => (onListed = resolve))
    if (isThere)
      server.server.sendToolListChanged().catch(() => undefined) // a process that is gone hears nothing
    else await process.setMcpServers(servers)
    isThere = true
    await within(listed, listPatienceMs)
  }

  return {
    servers: isThere ? servers : {},
    follow(process) {
      let known: Promise<unknown> | null = null
      const unfollow = toolbox.onChange(() => {
        if (!isThere && toolbox.list().length === 0) return
        const telling = Promise.resolve(known)
          .then(() => tell(process))
          .catch(() => undefined)
          .finally(() => {
            if (known === telling) known = null
          })
        known = telling
      })
      return {
        ...process,
        send(...message) {
          if (known === null) process.send(...message)
          else void known.then(() => process.send(...message))
        },
        async stop() {
          unfollow()
          await process.stop()
        },
        async kill() {
          unfollow()
          await process.kill()
        },
      }
    },
  }
}

/** The CLI asks for a new list within milliseconds; it may also not, and then what is to be said is said anyway. */
const listPatienceMs = 2_000

type ListedTool = ListToolsResult['tools'][number]

/** Read-only to the CLI, which then calls them side by side (measured); what they may do is the client's to decide. */
const asMcpTool = ({ name, description, inputSchema }: ReturnType<ClientToolbox['list']>[number]): ListedTool => ({
  name,
  description,
  inputSchema: { ...inputSchema, type: 'object' },
  annotations: { readOnlyHint: true },
})

const resultOf = ({ output, isError }: { output: string; isError: boolean }): CallToolResult => ({
  content: [{ type: 'text', text: output }],
  isError,
})
