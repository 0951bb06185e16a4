// Gives a session its agent process: the definition as the file says now, a way to the model, and the session's parts.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type AgentDefinition, draft, type SessionId } from '@quarterdeck/protocol'
import type { AgentBackend, AgentSession } from '../backends/backend.ts'
import { remainingLimits } from '../backends/remaining-limits.ts'
import { createSessionHooks, type SessionHooks } from '../hooks/create-session-hooks.ts'
import type { OpenHostToolbox, OpenToolbox } from '../host-toolbox.ts'
import type { ModelGateway } from '../model-gateway.ts'
import { currentModel, subagentModelOf } from '../money/choose-model.ts'
import { createLateParts } from '../processes/late-parts.ts'
import type { SpareNotes } from '../processes/spare-notes.ts'
import type { SpareProcess } from '../processes/spares.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type { LiveSession, OpenBackend } from './live-session.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { createSessionParts, type SessionPartsOptions } from './session-parts.ts'
import type { AgentShelf } from './session-service.ts'

export interface BackendOpening extends SessionPartsOptions {
  readonly agents: AgentShelf
  readonly models: ModelGateway
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly openToolbox: OpenToolbox
  readonly dataDir: string
  /** What is known of processes that have no session yet. */
  readonly spareNotes: SpareNotes
}

export async function openBackend(opening: BackendOpening, live: LiveSession): Promise<OpenBackend> {
  const state = live.writer.state()
  const { sessionId, cwd, modelSource, permissionMode, thinking, owner } = state
  const agent = await opening.agents.load(state.agentName)
  const modelAccess = await opening.models.openSession(sessionId, { ...agent, modelSource }, owner)
  try {
    const { subagents, ...parts } = createSessionParts(opening, live, agent)
    const backend = await opening.backendOf(agent)
    const catalog = await opening.agents.catalog(agent.name)
    const model = currentModel(state, catalog)
    const known = knowModel(model)
    const signal = live.abort?.signal ?? never
    const at = { sessionId, cwd, modelAccess, model: known.model, signal }
    const toolbox = await opening.openToolbox(agent, { ...at, ...parts })
    const unheard = tellServers(toolbox, live)
    const session = await withToolbox(toolbox, unheard, (hostTools) =>
      backend.createSession({
        ...{ sessionId, cwd, modelSource, permissionMode, thinking, modelAccess, model, hostTools },
        ...parts,
        limits: remainingLimits(state.limits, state.costUsd),
        subagentModel: subagentModelOf(state, catalog),
        resume: state.backendSessionId,
      }),
    )
    await tellStart(live, parts.hooks, signal)
    const { limits } = state
    const isMetered = modelAccess.type !== 'environment'
    const tellEnded = () => parts.hooks.ended({ cwd })
    const { turnTimeoutMs } = agent
    return { ...known.of(session), subagents, isMetered, limits, turnTimeoutMs, tellEnded }
  } catch (error) {
    // No process is there to be ended later, which closes the way else.
    opening.models.closeSession(sessionId)
    throw error
  }
}

/** Nobody waits for it yet, or nobody can call it off. */
const never = new AbortController().signal

/** A turn that is interrupted meanwhile does not wait for those who are told. */
async function tellStart({ writer }: LiveSession, hooks: SessionHooks, signal: AbortSignal): Promise<void> {
  const { backendSessionId, cwd, model } = writer.state()
  const source = backendSessionId === null ? 'startup' : 'resume'
  try {
    await unlessAborted(() => hooks.started({ source, cwd, model }, signal), signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** A session whose tools end with it. */
async function withToolbox(
  toolbox: OpenHostToolbox,
  unheard: () => void,
  create: (hostTools: OpenHostToolbox) => Promise<AgentSession>,
): Promise<AgentSession> {
  const end = async () => {
    unheard()
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

/** What becomes of MCP servers is in the log, also between turns. Returns how to stop that. */
function tellServers(toolbox: OpenHostToolbox, { writer }: LiveSession): () => void {
  return toolbox.onServer(({ name, status, error }) => {
    // A session that takes no more events has no more readers either.
    void writer.record([draft('McpServerStatusChanged', { name, status, error })]).catch(() => undefined)
  })
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

/** A process for a session that does not exist yet, as the agent file says. */
export async function openSpare(
  opening: BackendOpening,
  agent: AgentDefinition,
  sessionId: SessionId,
): Promise<SpareProcess> {
  const { models, dataDir, spareNotes } = opening
  const backend = await opening.backendOf(agent)
  await spareNotes.add(sessionId)
  const cwd = await prepareWorkspace(agent, dataDir, sessionId)
  const late = createLateParts(createSessionHooks(opening.hooksOf(agent), sessionId))
  /** Of one that nobody took. */
  async function leaveNothing(): Promise<void> {
    await backend.forget(sessionId)
    if (agent.workspace.mode === 'copy') await rm(cwd, { recursive: true, force: true })
    await spareNotes.remove(sessionId)
  }
  try {
    const modelAccess = await models.openSession(sessionId, agent, 'nobody')
    const { modelSource, limits } = agent
    const catalog = await opening.agents.catalog(agent.name)
    const chosen = { model: agent.model.id, lastModel: null }
    const { permissionMode, thinking } = agent.claude
    const model = currentModel(chosen, catalog)
    const known = knowModel(model)
    const at = { sessionId, cwd, modelAccess, model: known.model, signal: never }
    const toolbox = await opening.openToolbox(agent, { ...at, ...late.parts })
    let unheard = () => {}
    const session = await withToolbox(
      toolbox,
      () => unheard(),
      (hostTools) =>
        backend.createSession({
          ...{ sessionId, cwd, modelSource, permissionMode, thinking, modelAccess, limits, model, hostTools },
          ...late.parts,
          subagentModel: subagentModelOf(chosen, catalog),
          resume: null,
        }),
    )
    return {
      warm: session.warm,
      claim: () => emptyCopy(agent, cwd),
      async bind(live) {
        const { subagents, ...parts } = createSessionParts(opening, live, agent)
        const unbind = late.bind(parts)
        try {
          await spareNotes.remove(sessionId)
          const state = live.writer.state()
          const access = await models.openSession(sessionId, agent, state.owner)
          // The key has changed since: what the process was started with is refused by now.
          if (!isDeepStrictEqual(access, modelAccess)) {
            unbind()
            return null
          }
          unheard = tellServers(toolbox, live)
          await tellStart(live, parts.hooks, live.abort?.signal ?? never)
          const tellEnded = () => {
            unbind()
            return parts.hooks.ended({ cwd })
          }
          const isMetered = modelAccess.type !== 'environment'
          const held = { limits: state.limits, turnTimeoutMs: agent.turnTimeoutMs }
          return { ...known.of(session), subagents, isMetered, ...held, tellEnded }
        } catch (error) {
          unbind()
          throw error
        }
      },
      async close({ isTaken }) {
        try {
          await session.close()
        } finally {
          models.closeSession(sessionId)
        }
        if (!isTaken) await leaveNothing()
      },
    }
  } catch (error) {
    models.closeSession(sessionId)
    await leaveNothing()
    throw error
  }
}

/** The folder itself stays: the process works in it. */
async function emptyCopy(agent: AgentDefinition, cwd: string): Promise<void> {
  if (agent.workspace.mode !== 'copy') return
  const names = await readdir(cwd)
  await Promise.all(names.map((name) => rm(join(cwd, name), { recursive: true, force: true })))
}
