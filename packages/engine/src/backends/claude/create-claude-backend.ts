// The backend that runs the Claude Agent SDK and its CLI.
import { randomUUID } from 'node:crypto'
import { access, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { McpServerConfig, OnElicitation } from '@anthropic-ai/claude-agent-sdk'
import { type AgentDefinition, type CatalogModel, draft, type SessionId } from '@quarterdeck/protocol'
import { agentFiles } from '../../isolation/agent-files.ts'
import { probeIsolation } from '../../isolation/probe-isolation.ts'
import { realPath } from '../../isolation/real-path.ts'
import type { Isolation } from '../../isolation/sandbox-command.ts'
import { makeScratchFolder } from '../../isolation/scratch-folder.ts'
import { findSystemTools } from '../../isolation/system-tools.ts'
import { elicit } from '../../ports/elicit.ts'
import type { Logger } from '../../ports/logger.ts'
import { keyVariableOf } from '../../ports/sign-in.ts'
import { dataFolders } from '../../system/data-folders.ts'
import type { AgentBackend, BackendEvent, SessionOptions } from '../backend.ts'
import { BackendInitError } from '../backend-errors.ts'

import { createSessionFactory } from '../driver/create-session-factory.ts'
import { type OutputCheck, outputCheckOf } from '../driver/structured-output.ts'
import type { TurnDriver } from '../driver/turn-driver.ts'
import { remainingLimits } from '../remaining-limits.ts'
import { copyNotes } from './checkpoints/checkpoint-notes.ts'
import { createCheckpoints } from './checkpoints/create-checkpoints.ts'
import { type ClaudeFolders, claudeFolders, prepareFolders } from './cli/claude-folders.ts'
import { startClaudeProcess } from './cli/claude-process.ts'
import { cliEnvironment, defaultRequestRetryPolicy, type RequestRetryPolicy } from './cli/cli-environment.ts'
import { sdkOptions } from './cli/sdk-options.ts'
import { createPermissionHook } from './hooks/permission-hook.ts'
import { sdkHooks } from './hooks/sdk-hooks.ts'
import { createToolServers } from './hooks/tool-servers.ts'
import { branchTranscript } from './transcript/branch-transcript.ts'
import { createClaudeDriver } from './turns/claude-driver.ts'
import { createResidentProcess } from './turns/resident-process.ts'
import { createTranslator, type Translator } from './turns/translator.ts'

export interface ClaudeBackendOptions {
  readonly agent: AgentDefinition
  /** The SDK's names of the tools this agent has. */
  readonly tools: readonly string[]
  /** Model prices, read once per session. */
  readonly catalog: () => Promise<readonly CatalogModel[]>
  /** Absolute. Hidden from the agent, except for its own folders and its working directory. */
  readonly dataDir: string
  /** Files with the server's own keys, hidden from the agent. */
  readonly secretFiles?: readonly string[]
  /** Files and folders that control the permissions of agents. Read-only, even in the workspace. */
  readonly lockedPaths?: () => readonly string[]
  /** The `PATH` of the agent's shell. */
  readonly path: string
  readonly clock: { now(): Date }
  readonly logger: Logger
  readonly retryPolicy?: RequestRetryPolicy
  /** How long an interrupted turn may take to end before its process is killed. */
  readonly interruptTimeoutMs?: number
  /** The isolation of this machine; probed if not given. */
  readonly isolation?: Isolation
  /** In addition to those of the session. Tests use it to give servers to the CLI itself. */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>>
  /** Receives every SDK message before translation. Recordings are made with it. */
  readonly tap?: (message: unknown) => void
}

/** An interrupt takes 50 ms (measured). */
const defaultInterruptTimeoutMs = 10_000

export function createClaudeBackend(options: ClaudeBackendOptions): AgentBackend {
  const { agent } = options
  const factory = createSessionFactory({
    agent,
    prepare: () => prepare(options),
    async openDriver(session, prepared) {
      await access(session.cwd).catch(() => {
        throw new BackendInitError(`agent "${agent.name}": the working directory ${session.cwd} does not exist`)
      })
      return createDriver(options, session, { ...prepared, catalog: await options.catalog() })
    },
  })

  return {
    ...factory,
    async branch({ fromSessionId, toSessionId, ...branch }) {
      const target = foldersOf(options.dataDir, toSessionId)
      const source = foldersOf(options.dataDir, fromSessionId)
      prepareFolders(target)
      const id = await branchTranscript({ ...branch, from: source.config, to: target.config })
      if (source.root !== target.root) await copyNotes(source.root, target.root)
      return id
    },
    async forget(sessionId) {
      await rm(foldersOf(options.dataDir, sessionId).root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

interface Prepared {
  readonly isolation: Isolation
  readonly outputCheck: OutputCheck | null
}

async function prepare({ agent, dataDir, logger, ...options }: ClaudeBackendOptions): Promise<Prepared> {
  const isolation = options.isolation ?? (await probeIsolation())
  if (isolation.why !== null) logger.warn({ agent: agent.name }, isolation.why)
  const outputCheck = outputCheckOf(agent)
  try {
    await mkdir(dataFolders(dataDir).claude, { recursive: true, mode: 0o700 })
  } catch (error) {
    const message = `agent "${agent.name}": cannot write below ${dataDir}: ${String(error)}`
    throw new BackendInitError(message, { cause: error })
  }
  return { isolation, outputCheck }
}

function foldersOf(dataDir: string, sessionId: SessionId): ClaudeFolders {
  return claudeFolders(join(dataFolders(dataDir).claude, sessionId))
}

interface DriverDeps extends Prepared {
  readonly catalog: readonly CatalogModel[]
}

function createDriver(options: ClaudeBackendOptions, session: SessionOptions, deps: DriverDeps): TurnDriver {
  const { isolation, outputCheck, catalog } = deps
  const { agent, dataDir, path, logger, retryPolicy = defaultRequestRetryPolicy } = options
  const { modelAccess, subagentModel, gate, cwd } = session
  const now = () => options.clock.now().getTime()
  const folders = foldersOf(dataDir, session.sessionId)
  const tools = findSystemTools()
  const translator = createTranslator({ ...session, catalog, outputCheck }, now)
  const checkpoints = createCheckpoints({ folders, cwd, hidden: [dataDir] })
  const answersByCall = outputCheck !== null
  const permission = createPermissionHook({ ...session, gate: checkpoints.guard(gate), answersByCall }, translator)
  const { canUseTool } = permission
  /** For the MCP servers that the CLI connects to itself. */
  const onElicitation: OnElicitation = ({ serverName, message, requestedSchema, url }, { signal }) => {
    const question = { server: serverName, message, schema: requestedSchema ?? null, url: url ?? null }
    return elicit(session.questions, question, signal)
  }

  const resident = createResidentProcess({
    ...session,
    translator,
    start(resume, chosen) {
      const marker = randomUUID()
      prepareFolders(folders)
      const scratch = makeScratchFolder(dataDir, marker)
      const env = cliEnvironment({ agent, folders, scratch, modelAccess, subagentModel, path, marker, retryPolicy })
      const files = agentFiles(agent, cwd, options)
      const view = {
        ...files,
        cwd,
        tmp: scratch,
        writable: [...files.writable, ...[folders.home, folders.config, scratch].map(realPath)],
        hidden: [dataDir, ...files.hidden],
      }
      // The CLI counts its budget from the start of the process (measured).
      const limits = remainingLimits(session.limits, translator.spentUsd())
      const choices = sdkOptions(agent, options.tools.filter(session.sessionTools.has), {
        ...session,
        ...chosen,
        limits,
        resume,
      })
      const hooks = sdkHooks(session.hooks, permission.hook)
      const served = createToolServers({ ...session, logger }, permission)
      const mcpServers = { ...options.mcpServers, ...served.servers }
      const sdk = { ...choices, env, canUseTool, onElicitation, hooks, mcpServers }
      return served.follow(startClaudeProcess(sdk, { dataDir, marker, scratch, isolation, tools, view, logger }))
    },
  })
  return createClaudeDriver({
    translator: options.tap === undefined ? translator : tapped(translator, options.tap),
    resident,
    checkpoints,
    onTurn: permission.beginTurn,
    notices: noticesOf(isolation, session),
    tools: options.tools,
    isBudgetSpent: () => translator.spentUsd() >= session.limits.maxBudgetUsd,
    keyVariable: keyVariableOf(agent.model),
    now,
    interruptTimeoutMs: options.interruptTimeoutMs ?? defaultInterruptTimeoutMs,
  })
}

const tapped = (translator: Translator, tap: (message: unknown) => void): Translator => ({
  ...translator,
  translate(message) {
    tap(message)
    return translator.translate(message)
  },
})

function noticesOf(isolation: Isolation, { modelAccess }: SessionOptions): readonly BackendEvent[] {
  const notices: BackendEvent[] = []
  if (isolation.why !== null) {
    notices.push(draft('SecurityNoticed', { code: 'agent.not-shut-in', sentence: isolation.why }))
  }
  if (modelAccess.type === 'environment') {
    const sentence = 'the model gateway is off: the agent’s shell can read the provider credentials'
    notices.push(draft('SecurityNoticed', { code: 'agent.holds-credentials', sentence }))
  }
  return notices
}
