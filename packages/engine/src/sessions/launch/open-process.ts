// An agent process with its tools, for a session that is there or for one that will be.
import { setMaxListeners } from 'node:events'
import { type AgentDefinition, draft, type SessionState } from '@quarterdeck/protocol'
import { unlessAborted } from '../../async/unless-aborted.ts'
import type { AgentBackend, AgentSession, SessionOptions } from '../../backends/backend.ts'
import type { SessionHooks } from '../../hooks/create-session-hooks.ts'
import { currentModel, subagentModelOf } from '../../money/choose-model.ts'
import type { SessionTools } from '../../permissions/tools/session-tools.ts'
import type { OpenHostToolbox, OpenToolbox } from '../../ports/host-toolbox.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ModelGateway } from '../../ports/model-gateway.ts'
import type { SpareNotes } from '../../processes/spare-notes.ts'
import type { AgentRegistry } from '../session-service.ts'
import type { OpenBackend, RunningSession } from '../state/running-session.ts'
import type { AgentServicesOptions } from './agent-services.ts'

export interface BackendOpening extends AgentServicesOptions {
  readonly agents: AgentRegistry
  readonly models: ModelGateway
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly openToolbox: OpenToolbox
  readonly dataDir: string
  /** What is known of processes that have no session yet. */
  readonly spareNotes: SpareNotes
}

/** What a backend is asked for, but for what is found out here. */
export interface ProcessRequest extends Omit<SessionOptions, 'model' | 'subagentModel' | 'hostTools'> {
  readonly agent: AgentDefinition
  readonly backend: AgentBackend
  readonly chosen: Pick<SessionState, 'model' | 'lastModel'>
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal
  /** Hears of its tools from the beginning; returns how to stop that. */
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

/** Nobody waits for it yet, or nobody can call it off. */
export const never: AbortSignal = new AbortController().signal
setMaxListeners(0, never) // every opening of every session

/** A turn that is interrupted meanwhile does not wait for those who are told. */
export async function notifyStarted(
  { writer }: RunningSession,
  hooks: SessionHooks,
  signal: AbortSignal,
): Promise<void> {
  const { backendSessionId, cwd, model } = writer.state()
  const source = backendSessionId === null ? 'startup' : 'resume'
  try {
    await unlessAborted(() => hooks.started({ source, cwd, model }, signal), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** What becomes of MCP servers is in the log, also between turns. Returns how to stop that. */
export function recordServerStatus(toolbox: OpenHostToolbox, { writer }: RunningSession, logger: Logger): () => void {
  return toolbox.onServer(({ name, status, error }) => {
    const unwritten = (reason: unknown) => {
      // No alarm: a session that takes no more events has no more readers either.
      logger.info({ sessionId: writer.sessionId, server: name, status, error: reason }, 'not in the log: an MCP server')
    }
    void writer.record([draft('McpServerStatusChanged', { name, status, error })]).catch(unwritten)
  })
}

/** A session whose tools end with it. */
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

/** Remembers what the process was told: it cannot be asked. */
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
