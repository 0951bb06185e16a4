// One tool of an agent file, made ready for one session.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type AgentDefinition,
  type AgentTool,
  assertNever,
  type FunctionTool,
  type McpTool,
} from '@quarterdeck/protocol'
import { dataFolders } from '../data-folders.ts'
import type { Complete, ToolboxOpening } from '../host-toolbox.ts'
import { type AgentFilesOptions, agentFiles } from '../isolation/agent-files.ts'
import type { Isolation } from '../isolation/hide-files.ts'
import { blankOut } from '../redaction/redact.ts'
import type { Logger } from '../telemetry/logger.ts'
import { openFunctionTool } from './function-tool.ts'
import { longestPrinted } from './modules/module-host.ts'
import type { ModuleHosts } from './modules/module-hosts.ts'
import { openPromptTool } from './prompt-tool.ts'
import { openSkillTool } from './skill-tool.ts'
import type { PartNews, PartPlace, ToolPart } from './tool-part.ts'

/** Values of what a tool is given. Never in an event, a log or an error. */
export interface ToolSecrets {
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

export interface PartMakers extends AgentFilesOptions {
  /** Absolute. */
  readonly dataDir: string
  /** By the tool's own name. */
  readonly toolSecrets: (agentName: string) => Promise<Readonly<Record<string, ToolSecrets>>>
  /** How subprocesses are shut in. */
  readonly isolation: () => Promise<Isolation>
  readonly hosts: ModuleHosts
  /** Before each new try to bring a fallen server back. */
  readonly pausesMs?: readonly number[]
  /** Asks a model, for prompt tools. */
  readonly complete: Complete
  /** Takes out what no model and no log may see, of all that tools return and print. */
  readonly redact: (text: string) => string
  readonly logger: Logger
}

export interface PartOpening {
  readonly agent: AgentDefinition
  readonly opening: ToolboxOpening
  readonly news: PartNews
}

/** Throws `tool.unavailable`, and the reason of the opening's signal. None for what a client runs, and for searches: those of an agent are opened together. */
export async function openPart(makers: PartMakers, tool: AgentTool, at: PartOpening): Promise<readonly ToolPart[]> {
  switch (tool.type) {
    case 'function':
      return [await openFunction(makers, tool, at)]
    case 'mcp':
      return [await openServer(makers, tool, at)]
    case 'client':
      return []
    case 'prompt':
      return [openPromptTool(tool, at.opening, makers.complete)]
    case 'skill':
      return [openSkillTool(tool, makers.logger)]
    case 'vectorstore':
    case 'hierarchical_document':
      return []
    default:
      return assertNever(tool)
  }
}

const placeOf = ({ agent, opening, news }: PartOpening): PartPlace => ({
  ...{ agentName: agent.name, sessionId: opening.sessionId, cwd: opening.cwd, news },
  project: dirname(agent.file),
})

async function secretsOf({ toolSecrets }: PartMakers, { agent }: PartOpening, tool: AgentTool): Promise<ToolSecrets> {
  return (await toolSecrets(agent.name))[tool.name] ?? { env: {}, headers: {} }
}

/** Kept from session to session: package runners put what they fetched there. */
async function makeHome({ dataDir }: PartMakers, ...names: readonly string[]): Promise<string> {
  const home = join(dataFolders(dataDir).toolHomes, ...names)
  await mkdir(home, { recursive: true, mode: 0o700 })
  return home
}

async function openFunction(makers: PartMakers, tool: FunctionTool, at: PartOpening): Promise<ToolPart> {
  const place = placeOf(at)
  const { project, cwd, agentName } = place
  const { dataDir, path } = makers
  const { env } = await secretsOf(makers, at, tool)
  const home = await makeHome(makers, agentName, 'functions')
  const isolation = await makers.isolation()
  const files = agentFiles(at.agent, cwd, makers)
  const host = makers.hosts.take(agentName, { project, cwd, env, dataDir, path, home, files, isolation })
  try {
    const part = await openFunctionTool(tool, host, { place, signal: at.opening.signal })
    return {
      ...part,
      async close() {
        await part.close()
        host.giveBack()
      },
    }
  } catch (error) {
    host.giveBack()
    throw error
  }
}

async function openServer(makers: PartMakers, tool: McpTool, at: PartOpening): Promise<ToolPart> {
  const { dataDir, path, logger, redact } = makers
  const place = placeOf(at)
  const { env, headers } = await secretsOf(makers, at, tool)
  const home = await makeHome(makers, place.agentName, tool.name)
  const isolation = await makers.isolation()
  // Loaded where an agent names a server: the clients of MCP take as long as the rest of a start.
  const [{ openMcpServer }, { openTransport }] = await Promise.all([
    import('./mcp/mcp-server.ts'),
    import('./mcp/open-transport.ts'),
  ])
  const files = agentFiles(at.agent, place.cwd, makers)
  const named = blankOut([...Object.entries(env), ...Object.entries(headers)])
  const blank = (text: string) => redact(named(text))
  const onPrinted = (text: string) =>
    logger.info({ server: tool.name, text: blank(text).slice(0, longestPrinted).trimEnd() }, 'an MCP server printed')
  return await openMcpServer({
    ...{ tool, place, logger, questions: at.opening.questions, blank, signal: at.opening.signal },
    ...(makers.pausesMs !== undefined && { pausesMs: makers.pausesMs }),
    open: () => openTransport(tool, { dataDir, path, home, files, isolation, env, headers, onPrinted, ...place }),
  })
}
