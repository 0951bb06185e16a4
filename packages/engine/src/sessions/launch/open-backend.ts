// Opens agent processes: with the current agent file, model access, tools and the session's services.
import { type AgentDefinition, draft, neverAborted, type SessionState, unlessAborted } from '@quarterdeck/protocol'
import type { SessionOptions, SessionTools } from '../../backends/backend.ts'
import type { BackendPool, PooledBackend } from '../../backends/backend-pool.ts'
import { remainingLimits } from '../../backends/remaining-limits.ts'
import { currentModel, subagentModelOf } from '../../money/choose-model.ts'
import { selectSessionTools } from '../../permissions/tools/session-tools.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import type { OpenHostToolbox, OpenToolbox } from '../../ports/host-toolbox.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ModelConnections } from '../../ports/model-connections.ts'
import type { OpenBackend } from '../../processes/agent-process.ts'
import type { SpareNotes } from '../../processes/spare-notes.ts'
import type { RunningSession } from '../state/running-session.ts'
import { type AgentServicesOptions, createAgentServices, type SessionAgentServices } from './agent-services.ts'

export interface BackendOpening extends AgentServicesOptions {
  readonly agents: AgentRegistry
  readonly models: ModelConnections
  readonly backendOf: BackendPool['get']
  readonly openToolbox: OpenToolbox
  readonly dataDir: string
  /** Notes about processes that have no session yet. */
  readonly spareNotes: SpareNotes
}

/** The process of an existing session. */
export async function openBackend(opening: BackendOpening, running: RunningSession): Promise<OpenBackend> {
  const state = running.writer.state()
  const { sessionId, cwd, modelSource, permissionMode, thinking, owner, limits } = state
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(sessionId, { ...agent, modelSource }, owner)
  try {
    const { subagents, ...services } = createAgentServices(opening, running, agent)
    const process = await openProcess(opening, {
      agent,
      backend: await opening.backendOf(agent),
      sessionId,
      cwd,
      modelAccess,
      modelSource,
      permissionMode,
      thinking,
      signal: running.phase.signal() ?? neverAborted(),
      sessionTools: selectSessionTools(state, agent.tools),
      ...services,
      chosen: state,
      limits: remainingLimits(limits, state.costUsd),
      resume: state.backendSessionId,
      listen: (toolbox) => recordServerStatus(toolbox, running, opening.logger),
    })
    return await giveToSession(running, process, { agent, limits, subagents, hooks: services.hooks })
  } catch (error) {
    // There is no process whose end would close the access.
    opening.models.closeSession(sessionId)
    throw error
  }
}

/** The backend's options, except those that are determined here. */
interface ProcessRequest extends Omit<SessionOptions, 'model' | 'subagentModel' | 'hostTools'> {
  readonly agent: AgentDefinition
  readonly backend: PooledBackend
  readonly chosen: Pick<SessionState, 'model' | 'lastModel'>
  /** Aborts when the process is no longer needed. */
  readonly signal: AbortSignal
  /** Listens to the toolbox from the beginning. Returns the unsubscribe function. */
  readonly listen: (toolbox: OpenHostToolbox) => () => void
}

export interface OpenProcess extends Pick<OpenBackend, 'session' | 'model' | 'hostTools' | 'isMetered'> {
  readonly toolbox: OpenHostToolbox
}

/**
 * A process with its tools, for an existing session or for a future one. The session of the backend is wrapped here and
 * nowhere else.
 */
export async function openProcess(opening: BackendOpening, processRequest: ProcessRequest): Promise<OpenProcess> {
  const { agent, backend, chosen, signal, listen, ...options } = processRequest
  const { sessionId, cwd, modelAccess, questions, sessionTools } = options
  const catalog = await opening.agents.catalog(agent.name)
  // The model that was set last: the process cannot be asked.
  let current = currentModel(chosen, catalog)
  const model = () => current
  const toolboxOpening = { sessionId, cwd, modelAccess, questions, model, signal }
  const toolbox = ofSession(await opening.openToolbox(agent, toolboxOpening), sessionTools)
  const stopListening = listen(toolbox)
  const release = backend.retain()
  const end = async () => {
    stopListening()
    release()
    await toolbox.close()
  }
  try {
    const subagentModel = subagentModelOf(chosen, catalog)
    const session = await backend.createSession({ ...options, model: current, subagentModel, hostTools: toolbox })
    const setModel = async (next: string) => {
      await session.setModel(next)
      current = next
    }
    const opened = { ...session, setModel, close: () => session.close().finally(end) }
    return { session: opened, model, toolbox, hostTools: toolbox.list, isMetered: modelAccess.type !== 'environment' }
  } catch (error) {
    await end()
    throw error
  }
}

/** With the tools of this session only. */
const ofSession = (toolbox: OpenHostToolbox, { has }: SessionTools): OpenHostToolbox => ({
  ...toolbox,
  list: () => toolbox.list().filter(({ name }) => has(name)),
})

interface ProcessUse extends Pick<SessionAgentServices, 'subagents' | 'hooks'>, Pick<OpenBackend, 'limits'> {
  readonly agent: AgentDefinition
}

/** Runs the SessionStart hooks. An interrupted turn does not wait for them. */
export async function giveToSession(
  { writer, phase }: RunningSession,
  { toolbox: _, ...process }: OpenProcess,
  { agent, limits, subagents, hooks }: ProcessUse,
): Promise<OpenBackend> {
  const { backendSessionId, cwd, model } = writer.state()
  const source = backendSessionId === null ? 'startup' : 'resume'
  const signal = phase.signal() ?? neverAborted()
  try {
    signal.throwIfAborted()
    await unlessAborted(hooks.started({ source, cwd, model }, signal), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
  const { turnTimeoutMs } = agent
  return { ...process, subagents, limits, turnTimeoutMs, notifyEnded: () => hooks.ended({ cwd }) }
}

/** Logs the states of MCP servers, even between turns. Returns the unsubscribe function. */
export function recordServerStatus(toolbox: OpenHostToolbox, { writer }: RunningSession, logger: Logger): () => void {
  return toolbox.onServer(({ name, status, error }) => {
    const unwritten = (reason: unknown) => {
      // Not a warning: a session that takes no more events has no readers either.
      logger.info(
        { sessionId: writer.sessionId, server: name, status, error: reason },
        'the state of an MCP server could not be logged',
      )
    }
    void writer.record([draft('McpServerStatusChanged', { name, status, error })]).catch(unwritten)
  })
}
