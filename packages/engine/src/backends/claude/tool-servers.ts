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
import { clientToolName } from '../../client-tool.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { within } from '../../within.ts'
import type { ClientToolbox, HostTool, HostToolbox, ToolCall, ToolOutput } from '../backend.ts'
import type { ClaudeProcess } from './claude-process.ts'
import type { PermissionHook } from './permission-hook.ts'

export interface ToolServers {
  /** What a process is started with: no server without a tool, because each costs time at the start. */
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Tells the process of changes for as long as it lives; what is said to it meanwhile waits until it knows them. */
  follow(process: ClaudeProcess): ClaudeProcess
}

export interface ServedBoxes {
  readonly clientTools: ClientToolbox
  readonly hostTools: HostToolbox
  readonly logger: Logger
}

/** What the permission hook knows of a call that comes here. */
export type LetThrough = Pick<PermissionHook, 'takeAgentOf' | 'takeEmptied'>

/** One for each process: a server speaks with one client in its life. */
export function createToolServers(
  { clientTools, hostTools, logger }: ServedBoxes,
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
    const list = () => toolsNow().filter((tool) => placeOf(tool.name).server === name)
    const server = made.get(name) ?? createToolServer(name, { list, call, letThrough })
    made.set(name, server)
    return server
  }

  const unknown = (): readonly string[] => {
    const names = new Set(toolsNow().map(({ name }) => placeOf(name).server))
    return [...names].filter((name) => !known.has(name))
  }
  const configsOf = (names: Iterable<string>) =>
    Object.fromEntries([...names].map((name) => [name, serverOf(name).config]))

  async function tell(process: ClaudeProcess): Promise<void> {
    const added = unknown()
    const changed = [...known].map(serverOf).filter((server) => server.hasChanged())
    const heard = [...changed.map((server) => server.tell()), ...added.map((name) => serverOf(name).listed())]
    if (added.length > 0) {
      await process.setMcpServers(configsOf([...known, ...added]))
      for (const name of added) known.add(name)
    }
    await within(Promise.all(heard), listPatienceMs)
  }

  for (const name of unknown()) known.add(name)
  return {
    servers: configsOf(known),
    follow: (process) => following(process, { tell, hasNews, boxes: [clientTools, hostTools], logger }),
  }

  /** Whether there is, or was, a tool to tell of. */
  function hasNews(): boolean {
    return known.size > 0 || toolsNow().length > 0
  }
}

interface Following {
  readonly tell: (process: ClaudeProcess) => Promise<void>
  readonly hasNews: () => boolean
  readonly boxes: readonly Pick<HostToolbox, 'onChange'>[]
  readonly logger: Logger
}

function following(process: ClaudeProcess, { tell, hasNews, boxes, logger }: Following): ClaudeProcess {
  let telling: Promise<unknown> | null = null
  // What it could not be told is tried again with the next message: it would never hear of it otherwise.
  let isBehind = false
  const change = () => {
    if (!hasNews()) return
    const now = Promise.resolve(telling)
      .then(() => tell(process))
      .then(
        () => (isBehind = false),
        (error: unknown) => {
          isBehind = true
          if (process.isAlive()) logger.warn({ error: String(error) }, 'the agent could not be told of its tools')
        },
      )
      .finally(() => {
        if (telling === now) telling = null
      })
    telling = now
  }
  const unfollow = boxes.map((box) => box.onChange(change))
  const end = () => {
    for (const stop of unfollow) stop()
  }
  return {
    ...process,
    send(...message) {
      if (isBehind && telling === null) change()
      if (telling === null) process.send(...message)
      else void telling.then(() => process.send(...message))
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
const listPatienceMs = 2_000

interface ToolServer {
  readonly config: McpServerConfig
  /** Since the CLI was last given the list. */
  hasChanged(): boolean
  /** Resolves when the CLI has asked for the list the next time. */
  listed(): Promise<void>
  /** Tells the CLI that there is another list, and waits as `listed` does. */
  tell(): Promise<void>
}

interface ServerParts {
  readonly list: () => readonly HostTool[]
  readonly call: (call: ToolCall, signal: AbortSignal) => Promise<ToolOutput>
  readonly letThrough: LetThrough
}

function createToolServer(name: string, { list, call, letThrough }: ServerParts): ToolServer {
  const instance = new McpServer({ name, version: '1' }, { capabilities: { tools: { listChanged: true } } })
  let onListed = () => {}
  let given = ''
  instance.server.setRequestHandler(ListToolsRequestSchema, () => {
    const tools = list().map(asMcpTool)
    given = JSON.stringify(tools)
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
    hasChanged: () => JSON.stringify(list().map(asMcpTool)) !== given,
    listed,
    tell() {
      const heard = listed()
      instance.server.sendToolListChanged().catch(() => undefined) // a process that is gone hears nothing
      return heard
    },
  }
}

/** `mcp__<server>__<tool>`, cut at the first place: whichever is meant, the parts give the same name again. */
function placeOf(toolName: string): { readonly server: string; readonly tool: string } {
  const [, server = '', tool = toolName] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? []
  return { server, tool }
}

type ListedTool = ListToolsResult['tools'][number]

/** Read-only to the CLI, which then calls them side by side (measured); what they may do is for the gate to decide. */
const asMcpTool = ({ name, description, inputSchema }: HostTool): ListedTool => ({
  name: placeOf(name).tool,
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
