// Opens an agent process with its tools, for an existing session or for a future one.
import { setMaxListeners } from 'node:events'
import { type AgentDefinition, draft, type SessionState, unlessAborted } from '@quarterdeck/protocol'
import type { AgentBackend, AgentSession, SessionOptions, SessionTools } from '../../backends/backend.ts'
import type { SessionHooks } from '../../hooks/create-session-hooks.ts'
import { currentModel, subagentModelOf } from '../../money/choose-model.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import type { OpenHostToolbox, OpenToolbox } from '../../ports/host-toolbox.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ModelGateway } from '../../ports/model-gateway.ts'
import type { OpenBackend } from '../../processes/process-holder.ts'
import type { SpareNotes } from '../../processes/spare-notes.ts'
import type { RunningSession } from '../state/running-session.ts'
import type { AgentServicesOptions } from './agent-services.ts'

export interface BackendOpening extends AgentServicesOptions {
  readonly agents: AgentRegistry
  readonly models: ModelGateway
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly openToolbox: OpenToolbox
  readonly dataDir: string
  /** Notes about processes that have no session yet. */
  readonly spareNotes: SpareNotes
}

/** The backend's options, except those that are determined here. */
export interface ProcessRequest extends Omit<SessionOptions, 'model' | 'subagentModel' | 'hostTools'> {
  readonly agent: AgentDefinition
  readonly backend: AgentBackend
  readonly chosen: Pick<SessionState, 'model' | 'lastModel'>
  /** Aborts when the process is no longer needed. */
  readonly signal: AbortSignal
  /** Listens to the toolbox from the beginning. Returns the unsubscribe function. */
  readonly listen: (toolbox: OpenHostToolbox) => () => void
}

export interface OpenProcess extends Pick<OpenBackend, 'session' | 'model' | 'hostTools'> {
  readonly toolbox: OpenHostToolbox
}

export async function openProcess(opening: BackendOpening, processRequest: ProcessRequest): Promise<OpenProcess> {
  const { agent, backend, chosen, signal, listen, ...options } = processRequest
  const { sessionId, cwd, modelAccess, questions } = options
  const catalog = await opening.agents.catalog(agent.name)
  const model = currentModel(chosen, catalog)
  const known = knowModel(model)
  const at = { sessionId, cwd, modelAccess, questions, model: known.model, signal }
  const toolbox = ofSession(await opening.openToolbox(agent, at), processRequest.sessionTools)
  const subagentModel = subagentModelOf(chosen, catalog)
  const session = await withToolbox(toolbox, listen(toolbox), (hostTools) =>
    backend.createSession({ ...options, model, subagentModel, hostTools }),
  )
  return { ...known.of(session), toolbox, hostTools: toolbox.list }
}

/** With the tools of this session only. */
const ofSession = (toolbox: OpenHostToolbox, { has }: SessionTools): OpenHostToolbox => ({
  ...toolbox,
  list: () => toolbox.list().filter(({ name }) => has(name)),
})

/** For an opening that nothing can abort. */
export const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never) // every opening of every session

/** An interrupted turn does not wait for the SessionStart hooks. */
export async function notifyStarted(
  { writer }: RunningSession,
  hooks: SessionHooks,
  signal: AbortSignal,
): Promise<void> {
  const { backendSessionId, cwd, model } = writer.state()
  const source = backendSessionId === null ? 'startup' : 'resume'
  try {
    signal.throwIfAborted()
    await unlessAborted(hooks.started({ source, cwd, model }, signal), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
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

/** A session whose tools are closed with it. */
async function withToolbox(
  toolbox: OpenHostToolbox,
  stopListening: () => void,
  create: (hostTools: OpenHostToolbox) => Promise<AgentSession>,
): Promise<AgentSession> {
  const end = async () => {
    stopListening()
    await toolbox.close()
  }
  try {
    const session = await create(toolbox)
    return { ...session, close: () => session.close().finally(end) }
  } catch (error) {
    await end()
    throw error
  }
}

/** Remembers the model that was set last: the process cannot be asked. */
function knowModel(opened: string) {
  let current = opened
  const model = () => current
  return {
    model,
    of: (session: AgentSession): Pick<OpenBackend, 'session' | 'model'> => ({
      model,
      session: {
        ...session,
        async setModel(next) {
          await session.setModel(next)
          current = next
        },
      },
    }),
  }
}
