// Checks each agent: a valid file, a key, MCP servers and functions that start, an embedder.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createAgentRegistry,
  type FileAgentRegistry,
  formatProblem,
  serverSecretFiles,
  tryEmbedder,
  tryTool,
  validateFiles,
} from '@quarterdeck/engine'
import { type AgentDefinition, type AgentTool, isQuarterdeckError, neverAborted } from '@quarterdeck/protocol'
import { commandLine, shellWord } from '../../terminal/command-line.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import type { Check } from './check.ts'

type LoadedAgent = Awaited<ReturnType<FileAgentRegistry['loaded']>>[number]
type Problems = LoadedAgent['problems']

/** Starts everything the agents would start, one at a time, and stops it again. */
export async function checkAgents(terminal: Terminal, paths: readonly string[]): Promise<readonly Check[]> {
  const { env, cwd, homeDir } = terminal
  const registry = createAgentRegistry({ paths, env, cwd, homeDir, credentials: 'note' })
  const dataDir = await mkdtemp(join(tmpdir(), 'quarterdeck-doctor-'))
  const secretFiles = serverSecretFiles({ homeDir, cwd })
  const embedders = new Set<string>()
  try {
    const checks: Check[] = []
    for (const loaded of await registry.loaded()) {
      const errors = await errorsOf(terminal, loaded)
      checks.push(checkFile(terminal, loaded, errors))
      const { agent } = loaded
      // Skipped: without its variables the tool would behave differently.
      if (agent === null || errors.some(isUnset)) continue
      for (const tool of agent.tools.filter(isStarted)) {
        const path = env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
        const { toolSecrets } = registry
        const trial = { agent, tool, dataDir, path, toolSecrets, secretFiles }
        checks.push(await checkTool(agent, tool, () => tryTool(trial)))
      }
      const embedder = JSON.stringify(agent.embedding)
      if (agent.embedding !== null && !embedders.has(embedder)) checks.push(await checkEmbedder(agent, registry))
      embedders.add(embedder)
    }
    return checks
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const isStarted = ({ type }: AgentTool): boolean => type === 'mcp' || type === 'function'

const isUnset = ({ code }: Problems[number]): boolean => code === 'config.missing-variable'

/** Reports what `validate` reports, even for an agent that loads but whose sessions could not open on this machine. */
async function errorsOf({ env, cwd, homeDir }: Terminal, { file, problems }: LoadedAgent): Promise<Problems> {
  const errors = problems.filter((problem) => problem.severity === 'error' || isUnset(problem))
  if (errors.length > 0) return errors
  const { files } = await validateFiles([file], { env, cwd, homeDir })
  return files.flatMap((report) => report.errors)
}

function checkFile(terminal: Terminal, { name, file, agent, problems }: LoadedAgent, errors: Problems): Check {
  const title = `Agent ${name}`
  if (agent === null || errors.length > 0) {
    const [first, ...more] = errors
    const finding =
      first === undefined ? 'cannot be used' : formatProblem({ ...first, severity: 'error' }, terminal.cwd)
    const rest = more.length === 0 ? '' : ` and ${more.length} more`
    return {
      name: title,
      verdict: 'fail',
      finding: `${finding}${rest}`,
      fix: `${commandLine(terminal)} validate ${shellWord(file)}`,
    }
  }
  const missing = problems.find(({ code }) => code === 'config.missing-credential')
  if (missing !== undefined) {
    const fix = 'Set it in the shell or in .env beside the file, or try it with --model-source simulator.'
    return { name: title, verdict: 'warn', finding: missing.message, fix }
  }
  const { provider, id } = agent.model
  const answers = agent.modelSource === 'simulator' ? 'the local simulator' : `${provider}, ${id}`
  return { name: title, verdict: 'ok', finding: `valid; ${answers} answers`, fix: null }
}

async function checkTool(
  agent: AgentDefinition,
  tool: AgentTool,
  start: () => Promise<readonly string[]>,
): Promise<Check> {
  const name = `${agent.name}: ${tool.type === 'mcp' ? 'MCP server' : 'function'} ${tool.name}`
  try {
    const offered = await start()
    const own = offered.map((offer) => offer.replace(/^mcp__.*?__/, ''))
    if (tool.type !== 'mcp') return { name, verdict: 'ok', finding: 'loads', fix: null }
    const tools = `${own.length} tool${own.length === 1 ? '' : 's'}`
    return { name, verdict: 'ok', finding: `${tools}${own.length === 0 ? '' : `: ${own.join(', ')}`}`, fix: null }
  } catch (error) {
    return { ...failure(name, error), fix: `Fix it in ${agent.file}, or start it by hand to see its output.` }
  }
}

async function checkEmbedder(agent: AgentDefinition, registry: FileAgentRegistry): Promise<Check> {
  const name = `${agent.name}: embedder ${agent.embedding?.provider ?? ''}`
  const access = async () => {
    const { apiKey, ...rest } = await registry.embeddingAccess(agent)
    return { ...rest, apiKey: apiKey.reveal() }
  }
  try {
    const length = await tryEmbedder(agent, access, neverAborted())
    return { name, verdict: 'ok', finding: `returns vectors of ${length} numbers`, fix: null }
  } catch (error) {
    return { ...failure(name, error), fix: `Fix embedding_provider in ${agent.file}.` }
  }
}

function failure(name: string, error: unknown): Omit<Check, 'fix'> {
  if (!isQuarterdeckError(error)) throw error
  return { name, verdict: 'fail', finding: error.message }
}
