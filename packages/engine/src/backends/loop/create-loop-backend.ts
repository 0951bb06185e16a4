// The backend that runs the agent loop in this process, with the providers' official clients and its own conversation
// store.
import { mkdir } from 'node:fs/promises'
import { type AgentDefinition, type CatalogModel, draft } from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import { questionTool } from '../../ports/question-tool.ts'
import { keyVariableOf } from '../../ports/sign-in.ts'
import { dataFolders } from '../../system/data-folders.ts'
import type { AgentBackend, ChosenSettings, SessionOptions } from '../backend.ts'
import { BackendInitError } from '../backend-errors.ts'
import { createSessionFactory } from '../driver/create-session-factory.ts'
import { type OutputCheck, outputCheckOf } from '../driver/structured-output.ts'
import type { TurnDriver } from '../driver/turn-driver.ts'
import { type ConversationStore, createConversationStore, type Resumed } from './conversation/conversation-store.ts'
import { type LoopRetryPolicy, retryPolicyFor } from './request/loop-retry-policy.ts'
import { createToolChooser, type Embed, everyTool, type ToolChooser } from './tools/choose-tools.ts'
import { createHookCalls } from './tools/hook-calls.ts'
import { createLoopDriver, type OpenedSession } from './turn/loop-driver.ts'
import { createContextWindow, createLoopSpending, type LoopSession } from './turn/loop-session.ts'
import { openWire } from './wire/open-wire.ts'

export interface LoopBackendOptions {
  readonly agent: AgentDefinition
  /** Absolute. Conversations are stored below it. */
  readonly dataDir: string
  /** Model prices, read once per session. */
  readonly catalog: () => Promise<readonly CatalogModel[]>
  /** Whether the agent may ask questions; false if no person can answer. */
  readonly canAsk?: boolean
  /** Why the programs of its tools and hooks are not sandboxed; `null` if they are. */
  readonly unsandboxedReason?: string | null
  /** For semantic `tool_filtering`. */
  readonly embed?: Embed
  readonly clock: { now(): Date }
  readonly logger: Logger
  readonly retryPolicy?: LoopRetryPolicy
  readonly random?: () => number
  /** Aborting ends running turns as a crash of the process would. */
  readonly crashSignal?: AbortSignal
}

export function createLoopBackend(options: LoopBackendOptions): AgentBackend {
  const { agent } = options
  const folder = dataFolders(options.dataDir).loop
  const store = createConversationStore(folder)
  const factory = createSessionFactory({
    agent,
    prepare: () => prepare(options, folder),
    openDriver: async (session, prepared) =>
      createDriver(options, session, { ...prepared, catalog: await options.catalog(), store }),
  })
  return { ...factory, branch: store.branch, forget: store.forget }
}

interface Prepared {
  readonly checkOutput: OutputCheck | null
  readonly toolChooser: ToolChooser
}

async function prepare({ agent, dataDir, embed }: LoopBackendOptions, folder: string): Promise<Prepared> {
  if (agent.instructions.type === 'preset') {
    throw new BackendInitError(`agent "${agent.name}": the preset claude_code needs "backend: claude"`)
  }
  if (agent.toolFiltering !== null && agent.toolFiltering.method !== 'bm25' && embed === undefined) {
    const { method } = agent.toolFiltering
    throw new BackendInitError(`agent "${agent.name}": tool_filtering by ${method} needs an embedding provider`)
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const message = `agent "${agent.name}": cannot write below ${dataDir}: ${String(error)}`
    throw new BackendInitError(message, { cause: error })
  }
  return {
    checkOutput: outputCheckOf(agent),
    toolChooser: agent.toolFiltering === null ? everyTool : createToolChooser(agent.toolFiltering, embed ?? null),
  }
}

interface LoopDriverDeps extends Prepared {
  readonly catalog: readonly CatalogModel[]
  readonly store: ConversationStore
}

function createDriver(backend: LoopBackendOptions, options: SessionOptions, deps: LoopDriverDeps): TurnDriver {
  const { agent, logger, clock } = backend
  const canAsk = backend.canAsk === true && options.sessionTools.has(questionTool)
  const { sessionId, cwd, hooks, modelAccess } = options
  let chosen: ChosenSettings = options
  const wire = openWire(modelAccess)

  async function open(): Promise<OpenedSession> {
    const { resume } = options
    const resumed = resume === null ? null : await deps.store.resume(sessionId, resume)
    const conversation = resumed?.conversation ?? deps.store.begin(sessionId)
    const permissionMode = () => chosen.permissionMode
    const session: LoopSession = {
      agent,
      options,
      conversation,
      canAsk,
      ...deps,
      requester: {
        wire,
        requests: modelAccess.type === 'in-process' ? modelAccess.requests : null,
        retryPolicy: retryPolicyFor(modelAccess, backend.retryPolicy),
        random: backend.random ?? Math.random,
        keyVariable: keyVariableOf(agent.model),
        fallbackModel: agent.claude.fallbackModel,
      },
      hookCalls: createHookCalls({ hooks, sessionId, cwd, transcript: conversation.file, permissionMode }),
      now: () => clock.now().getTime(),
      chosen: () => chosen,
      spending: createLoopSpending(deps.catalog),
      window: createContextWindow(),
    }
    const notices = noticesOf(backend.unsandboxedReason ?? null)
    return { session, openingEvents: [...notices, ...(resume === null ? [] : resumeEvents(resume, resumed))] }
  }

  return createLoopDriver({
    open,
    choose(change) {
      chosen = { ...chosen, ...change }
    },
    crashSignal: backend.crashSignal ?? null,
    onBug: (error) => logger.error({ agent: agent.name, sessionId, error }, 'a turn of the loop failed unexpectedly'),
  })
}

const noticesOf = (unsandboxedReason: string | null): OpenedSession['openingEvents'] =>
  unsandboxedReason === null
    ? []
    : [draft('SecurityNoticed', { code: 'agent.not-shut-in', sentence: unsandboxedReason })]

/** Events about the parts of a conversation that were lost. */
function resumeEvents(resume: string, resumed: Resumed | null): OpenedSession['openingEvents'] {
  if (resumed === null) {
    const error = 'the conversation no longer exists or cannot be read'
    return [draft('RawBackendMessage', { kind: 'resume_failed', message: { resume, error } })]
  }
  if (resumed.lostLines === 0) return []
  const error = `unreadable lines of the conversation were skipped: ${resumed.lostLines}`
  return [draft('RawBackendMessage', { kind: 'resume_damaged', message: { resume, error } })]
}
