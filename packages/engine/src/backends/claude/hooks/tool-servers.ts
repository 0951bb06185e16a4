// The tools of clients and of the engine as the CLI sees them: MCP servers inside this process, whose lists follow what
// is there.
import type { McpServerConfig } from '@anthropic-ai/claude-agent-sdk'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type ListToolsResult,
} from '@modelcontextprotocol/sdk/types.js'
import { withTimeout } from '../../../async/with-timeout.ts'
import type { Logger } from '../../../ports/logger.ts'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { ClientToolCaller, HostTool, HostToolbox, ToolCall, ToolOutput } from '../../backend.ts'
import type { ClaudeProcess } from '../cli/claude-process.ts'
import type { PermissionHook } from './permission-hook.ts'

export interface ToolServers {
  /** What a process is started with: no server without a tool, because each costs time at the start. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Tells the process of changes for as long as it lives; what is said to it meanwhile waits until it knows them. */
  follow(process: ClaudeProcess): ClaudeProcess
}

export interface ServedToolboxes {
  readonly clientTools: ClientToolCaller
  readonly hostTools: HostToolbox
  readonly logger: Logger
}

/** What the permission hook knows of a call that comes here. */
export type LetThrough = Pick<PermissionHook, 'takeAgentOf' | 'takeEmptied'>

/** One for each process: a server speaks with one client in its life. */
export function createToolServers(
  { clientTools, hostTools, logger }: ServedToolboxes,
  letThrough: LetThrough,
): ToolServers {
  // The SDK goes on with the first server it is given under a name, also after the CLI refused it.
  const made = new Map<string, ToolServer>()
  /** What the process has been told of. */
  const known = new Set<string>()

  const toolsNow = (): readonly HostTool[] => [
    ...clientTools.list().map((tool) => ({ ...tool, name: clientToolName(tool.name) })),
    ...hostTools.list(),
  ]
  const call = (asked: ToolCall, signal: AbortSignal): Promise<ToolOutput> =>
    (asked.toolName.startsWith(clientToolName('')) ? clientTools : hostTools).call(asked, signal)

  function serverOf(name: string): ToolServer {
    const list = () => toolsNow().filter((tool) => splitToolName(tool.name).server === name)
    const server = made.get(name) ?? createToolServer(name, { list, call, letThrough })
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
    servers: configsOf(known),
    follow: (process) => following(process, { announce, hasTools, toolboxes: [clientTools, hostTools], logger }),
  }

  /** Whether there is, or was, a tool to tell of. */
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
  // What it could not be told is tried again with the next message: it would never hear of it otherwise.
  let isBehind = false
  const change = () => {
    if (!hasTools()) return
    const now = Promise.resolve(announcing)
      .then(() => announce(process))
      .then(
        () => (isBehind = false),
        (error: unknown) => {
          isBehind = true
          if (process.isAlive()) logger.warn({ error: String(error) }, 'the agent could not be told of its tools')
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

/** The CLI asks for a new list within milliseconds; it may also not, and then what is to be said is said anyway. */
const listTimeoutMs = 2_000

interface ToolServer {
  readonly config: McpServerConfig
  /** Since the CLI was last given the list. */
  hasChanged(): boolean
  /** Resolves when the CLI has asked for the list the next time. */
  listed(): Promise<void>
  /** Tells the CLI that there is another list, and waits as `listed` does. */
  announce(): Promise<void>
}

interface ToolServerOptions {
  readonly list: () => readonly HostTool[]
  readonly call: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutput>
  readonly letThrough: LetThrough
}

function createToolServer(name: string, { list, call, letThrough }: ToolServerOptions): ToolServer {
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
    // The CLI says which call this is (measured): parallel calls with the same input are not mixed up.
    const toolUseId = _meta?.['claudecode/toolUseId']
    if (typeof toolUseId !== 'string') return resultOf({ output: 'The call has no id: it was not run.', isError: true })
    const toolName = `mcp__${name}__${params.name}`
    const toolInput = letThrough.takeEmptied(toolUseId) ? {} : { ...params.arguments }
    return resultOf(await call({ toolName, toolInput, toolUseId, agent: letThrough.takeAgentOf(toolUseId) }, signal))
  })
  const listed = () => new Promise<void>((resolve) => (onListed = resolve))
  const config = { type: 'sdk', name, instance, alwaysLoad: true } as const
  return {
    config,
    hasChanged: () => JSON.stringify(list().map(asMcpTool)) !== sentList,
    listed,
    announce() {
      const acknowledged = listed()
      instance.server.sendToolListChanged().catch(() => undefined) // a process that is gone hears nothing
      return acknowledged
    },
  }
}

/** `mcp__<server>__<tool>`, cut at the first place: whichever is meant, the parts give the same name again. */
function splitToolName(toolName: string): { readonly server: string; readonly tool: string } {
  const [, server = '', tool = toolName] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? []
  return { server, tool }
}

type ListedTool = ListToolsResult['tools'][number]

/** Read-only to the CLI, which then calls them side by side (measured); what they may do is for the gate to decide. */
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
