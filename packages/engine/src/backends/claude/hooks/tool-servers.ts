// The tools of clients and of the engine as MCP servers inside this process, for the CLI. Their lists follow the
// current tools.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js'
import { withTimeout } from '@quarterdeck/protocol'
import type { HostTool, HostToolbox } from '../../../ports/host-toolbox.ts'
import type { Logger } from '../../../ports/logger.ts'
import type { ToolCall, ToolOutput } from '../../../ports/tool-call.ts'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { ClientToolCaller } from '../../backend.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import type { PermissionHook } from './permission-hook.ts'

export interface ServedToolboxes {
  readonly clientTools: ClientToolCaller
  readonly hostTools: HostToolbox
  readonly logger: Logger
}

/** What the permission hook knows about a call of one of these tools. */
export type AllowedCalls = Pick<PermissionHook, 'takeAgentOf' | 'takeEmptied'>

/** One per process: an MCP server serves a single client. */
export function createToolServers({ clientTools, hostTools, logger }: ServedToolboxes, allowedCalls: AllowedCalls) {
  // The SDK reuses the first server registered under a name, even after the CLI refused it.
  const made = new Map<string, ToolServer>()
  /** The servers that the process knows. */
  const known = new Set<string>()

  const toolsNow = (): readonly HostTool[] => [
    ...clientTools.list().map((tool) => ({ ...tool, name: clientToolName(tool.name) })),
    ...hostTools.list(),
  ]
  const call = (asked: ToolCall, signal: AbortSignal): Promise<ToolOutput> =>
    (asked.toolName.startsWith(clientToolName('')) ? clientTools : hostTools).call(asked, signal)

  function serverOf(name: string): ToolServer {
    const list = () => toolsNow().filter((tool) => splitToolName(tool.name).server === name)
    const server = made.get(name) ?? createToolServer(name, { list, call, allowedCalls })
    made.set(name, server)
    return server
  }

  const unknown = (): readonly string[] => {
    const names = new Set(toolsNow().map(({ name }) => splitToolName(name).server))
    return [...names].filter((name) => !known.has(name))
  }
  const configsOf = (names: Iterable<string>) =>
    Object.fromEntries([...names].map((name) => [name, serverOf(name).config]))

  async function announce(process: ClaudeProcess): Promise<void> {
    const added = unknown()
    const changed = [...known].map(serverOf).filter((server) => server.hasChanged())
    const acknowledged = [
      ...changed.map((server) => server.announce()),
      ...added.map((name) => serverOf(name).listed()),
    ]
    if (added.length > 0) {
      await process.setMcpServers(configsOf([...known, ...added]))
      for (const name of added) known.add(name)
    }
    await withTimeout(Promise.all(acknowledged), listTimeoutMs)
  }

  for (const name of unknown()) known.add(name)
  return {
    /** The servers at process start. A server without tools is left out, because each one delays the start. */
    servers: configsOf(known),
    /**
     * Announces changed tool lists to the process for as long as it runs. Messages wait until the announcement is done.
     */
    follow: (process: ClaudeProcess): ClaudeProcess =>
      following(process, { announce, hasTools, toolboxes: [clientTools, hostTools], logger }),
  }

  /** Whether there is, or was, a tool to announce. */
  function hasTools(): boolean {
    return known.size > 0 || toolsNow().length > 0
  }
}

interface Following {
  readonly announce: (process: ClaudeProcess) => Promise<void>
  readonly hasTools: () => boolean
  readonly toolboxes: readonly Pick<HostToolbox, 'onChange'>[]
  readonly logger: Logger
}

function following(process: ClaudeProcess, { announce, hasTools, toolboxes, logger }: Following): ClaudeProcess {
  let announcing: Promise<unknown> | null = null
  // A failed announcement is retried with the next message. Otherwise the process would never learn of the change.
  let isBehind = false
  const change = () => {
    if (!hasTools()) return
    const now = Promise.resolve(announcing)
      .then(() => announce(process))
      .then(
        () => (isBehind = false),
        (error: unknown) => {
          isBehind = true
          if (process.isAlive())
            logger.warn({ error: String(error) }, 'could not announce the changed tools to the agent process')
        },
      )
      .finally(() => {
        if (announcing === now) announcing = null
      })
    announcing = now
  }
  const unfollow = toolboxes.map((toolbox) => toolbox.onChange(change))
  const end = () => {
    for (const stop of unfollow) stop()
  }
  return {
    ...process,
    send(...message) {
      if (isBehind && announcing === null) change()
      if (announcing === null) process.send(...message)
      else void announcing.then(() => process.send(...message))
    },
    async stop() {
      end()
      await process.stop()
    },
    async kill() {
      end()
      await process.kill()
    },
  }
}

/** The CLI requests a new list within milliseconds. If it does not, messages are sent anyway after this time. */
const listTimeoutMs = 2_000

type ToolServer = ReturnType<typeof createToolServer>

interface ToolServerOptions {
  readonly list: () => readonly HostTool[]
  readonly call: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutput>
  readonly allowedCalls: AllowedCalls
}

function createToolServer(name: string, { list, call, allowedCalls }: ToolServerOptions) {
  const instance = new McpServer({ name, version: '1' }, { capabilities: { tools: { listChanged: true } } })
  let onListed = () => {}
  let sentList = ''
  instance.server.setRequestHandler(ListToolsRequestSchema, () => {
    const tools = list().map(asMcpTool)
    sentList = JSON.stringify(tools)
    onListed()
    return { tools }
  })
  instance.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta }) => {
    // The CLI sends the id of the call (measured), so parallel calls with the same input are not confused.
    const toolUseId = _meta?.['claudecode/toolUseId']
    if (typeof toolUseId !== 'string') return resultOf({ output: 'The call was not run: it has no id.', isError: true })
    const toolName = `mcp__${name}__${params.name}`
    const toolInput = allowedCalls.takeEmptied(toolUseId) ? {} : { ...params.arguments }
    return resultOf(await call({ toolName, toolInput, toolUseId, agent: allowedCalls.takeAgentOf(toolUseId) }, signal))
  })
  /** Resolves when the CLI requests the list the next time. */
  const listed = () => new Promise<void>((resolve) => (onListed = resolve))
  const config = { type: 'sdk', name, instance, alwaysLoad: true } as const
  return {
    config,
    /** Whether the list has changed since the CLI last requested it. */
    hasChanged: (): boolean => JSON.stringify(list().map(asMcpTool)) !== sentList,
    listed,
    /** Announces a changed list, and waits as `listed` does. */
    announce(): Promise<void> {
      const acknowledged = listed()
      instance.server.sendToolListChanged().catch(() => undefined) // the process may have exited
      return acknowledged
    },
  }
}

/**
 * Splits `mcp__<server>__<tool>` at the first separator. Joining the parts gives the same name again, so an ambiguous
 * name does no harm.
 */
function splitToolName(toolName: string): { readonly server: string; readonly tool: string } {
  const [, server = '', tool = toolName] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? []
  return { server, tool }
}

type ListedTool = ListToolsResult['tools'][number]

/** Declared read-only, so that the CLI runs them in parallel (measured). The gate decides what they may do. */
const asMcpTool = ({ name, description, inputSchema }: HostTool): ListedTool => ({
  name: splitToolName(name).tool,
  description,
  inputSchema: { ...inputSchema, type: 'object' },
  annotations: { readOnlyHint: true },
})

const resultOf = ({ output, isError, images = [] }: ToolOutput): CallToolResult => ({
  content: [
    ...(output === '' && images.length > 0 ? [] : [{ type: 'text' as const, text: output }]),
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, data, mimeType: mediaType })),
  ],
  isError,
})
