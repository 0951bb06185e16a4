// Opens one tool of an agent file for one session.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type AgentDefinition,
  type AgentTool,
  assertNever,
  type FunctionTool,
  type McpTool,
} from '@quarterdeck/protocol'
import { type AgentFilesOptions, agentFiles } from '../isolation/agent-files.ts'
import type { Isolation } from '../isolation/sandbox-command.ts'
import type { ToolSecrets } from '../ports/agent-registry.ts'
import type { Complete, ToolboxOpening } from '../ports/host-toolbox.ts'
import type { Logger } from '../ports/logger.ts'
import { blankOut } from '../redaction/redact.ts'
import { dataFolders } from '../system/data-folders.ts'
import { openFunctionTool } from './function-tool.ts'
import { longestPrinted } from './modules/module-host.ts'
import type { ModuleHosts } from './modules/module-hosts.ts'
import { openPromptTool } from './prompt-tool.ts'
import { openSkillTool } from './skill-tool.ts'
import type { ToolSource, ToolSourceContext, ToolSourceEvents } from './tool-source.ts'

export interface ToolSourceDeps extends AgentFilesOptions {
  /** Absolute. */
  readonly dataDir: string
  /** By the tool's own name. */
  readonly toolSecrets: (agentName: string) => Promise<Readonly<Record<string, ToolSecrets>>>
  /** The isolation of this machine. */
  readonly isolation: () => Promise<Isolation>
  readonly hosts: ModuleHosts
  /** The delays before each restart of a failed server. */
  readonly pausesMs?: readonly number[]
  /** Makes a model request, for prompt tools. */
  readonly complete: Complete
  /** Removes secrets from everything that tools return and print, for models and logs. */
  readonly redact: (text: string) => string
  readonly logger: Logger
}

export interface ToolSourceOpening {
  readonly agent: AgentDefinition
  readonly opening: ToolboxOpening
  readonly events: ToolSourceEvents
}

/**
 * Throws `tool.unavailable`, or the reason of the opening's signal. `null` for client tools, and for searches: those of
 * an agent are opened together.
 */
export async function openToolSource(
  deps: ToolSourceDeps,
  tool: AgentTool,
  at: ToolSourceOpening,
): Promise<readonly ToolSource[]> {
  switch (tool.type) {
    case 'function':
      return [await openFunction(deps, tool, at)]
    case 'mcp':
      return [await openServer(deps, tool, at)]
    case 'client':
      return []
    case 'prompt':
      return [openPromptTool(tool, at.opening, deps.complete)]
    case 'skill':
      return [openSkillTool(tool, deps.logger)]
    case 'vectorstore':
    case 'hierarchical_document':
      return []
    default:
      return assertNever(tool)
  }
}

const contextOf = ({ agent, opening, events }: ToolSourceOpening): ToolSourceContext => ({
  agentName: agent.name,
  sessionId: opening.sessionId,
  cwd: opening.cwd,
  events,
  project: dirname(agent.file),
})

async function secretsOf(
  { toolSecrets }: ToolSourceDeps,
  { agent }: ToolSourceOpening,
  tool: AgentTool,
): Promise<ToolSecrets> {
  return (await toolSecrets(agent.name))[tool.name] ?? { env: {}, headers: {} }
}

/** Kept across sessions: package runners store their downloads there. */
async function makeHome({ dataDir }: ToolSourceDeps, ...names: readonly string[]): Promise<string> {
  const home = join(dataFolders(dataDir).toolHomes, ...names)
  await mkdir(home, { recursive: true, mode: 0o700 })
  return home
}

async function openFunction(deps: ToolSourceDeps, tool: FunctionTool, at: ToolSourceOpening): Promise<ToolSource> {
  const toolContext = contextOf(at)
  const { project, cwd, agentName } = toolContext
  const { dataDir, path } = deps
  const { env } = await secretsOf(deps, at, tool)
  const home = await makeHome(deps, agentName, 'functions')
  const isolation = await deps.isolation()
  const files = agentFiles(at.agent, cwd, deps)
  const host = deps.hosts.acquire(agentName, { project, cwd, env, dataDir, path, home, files, isolation })
  try {
    const source = await openFunctionTool(tool, host, { toolContext, signal: at.opening.signal })
    return {
      ...source,
      async close() {
        await source.close()
        host.release()
      },
    }
  } catch (error) {
    host.release()
    throw error
  }
}

async function openServer(deps: ToolSourceDeps, tool: McpTool, at: ToolSourceOpening): Promise<ToolSource> {
  const { dataDir, path, logger, redact } = deps
  const toolContext = contextOf(at)
  const { env, headers } = await secretsOf(deps, at, tool)
  const home = await makeHome(deps, toolContext.agentName, tool.name)
  const isolation = await deps.isolation()
  // Loaded only if an agent has an MCP server: the MCP client takes as long as the rest of startup.
  const [{ openMcpServer }, { openTransport }] = await Promise.all([
    import('./mcp/mcp-server.ts'),
    import('./mcp/open-transport.ts'),
  ])
  const files = agentFiles(at.agent, toolContext.cwd, deps)
  const named = blankOut([...Object.entries(env), ...Object.entries(headers)])
  const removeSecrets = (text: string) => redact(named(text))
  const onPrinted = (text: string) =>
    logger.info(
      { server: tool.name, text: removeSecrets(text).slice(0, longestPrinted).trimEnd() },
      'an MCP server printed',
    )
  return await openMcpServer({
    tool,
    toolContext,
    logger,
    questions: at.opening.questions,
    removeSecrets,
    signal: at.opening.signal,
    ...(deps.pausesMs !== undefined && { pausesMs: deps.pausesMs }),
    open: () => openTransport(tool, { dataDir, path, home, files, isolation, env, headers, onPrinted, ...toolContext }),
  })
}
