// A process kept ready for the next new session of an agent in use. It has the session's id already: whoever creates a
// session as the agent file says takes the id, and with it the process.
import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition, SessionId, SessionState } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { OpenBackend, RunningSession } from '../sessions/state/running-session.ts'
import type { Admission } from './admission.ts'
import type { ProcessSettings } from './process-settings.ts'
import type { StartQueue } from './start-queue.ts'

/** A process without a session. */
export interface SpareProcess {
  readonly warm: () => Promise<void>
  /** Its folder is emptied: a session that begins finds it as it is then. */
  readonly claim: () => Promise<void>
  /** Gives it to the session that has its id; `null` where its way to the model is no longer the right one. */
  readonly bind: (running: RunningSession) => Promise<OpenBackend | null>
  /** Ends it. One that nobody took leaves nothing behind. */
  readonly close: (options: { readonly isTaken: boolean }) => Promise<void>
}

/** What a new session is to have. */
export interface SpareRequest extends Pick<SessionState, 'model' | 'permissionMode' | 'thinking' | 'limits'> {
  readonly agent: AgentDefinition
}

export interface SparesOptions {
  readonly settings: Pick<ProcessSettings, 'spares' | 'maxSpares' | 'spareIdleMs'>
  readonly admission: Pick<Admission, 'takeFree' | 'beginLeaving' | 'leaveProcess'>
  readonly starts: StartQueue
  readonly loadAgent: (name: string) => Promise<AgentDefinition>
  readonly newSessionId: () => SessionId
  /** False while the machine has too little memory for a process that nobody needs yet. */
  readonly hasMemory: () => boolean
  /** Opens a process for a session that does not exist yet, as the agent file says. */
  readonly openSpare: (agent: AgentDefinition, sessionId: SessionId) => Promise<SpareProcess>
  readonly logger: Logger
}

interface Spare {
  readonly sessionId: SessionId
  readonly agent: AgentDefinition
  readonly process: SpareProcess
  readonly since: number
  isTaken: boolean
}

export function createSpares(options: SparesOptions) {
  const { settings, admission, logger } = options
  const spares = new Map<SessionId, Spare>()
  const making = new Map<string, Promise<boolean>>()
  const closing = new AbortController()

  const free = () => [...spares.values()].filter(({ isTaken }) => !isTaken)

  /** Sees to it that one is ready, if there is room; true when it is. Throws what is wrong with the agent file. */
  async function want(agentName: string): Promise<boolean> {
    if (!settings.spares || closing.signal.aborted || !options.hasMemory()) return false
    const agent = await options.loadAgent(agentName)
    // The loop runs in this process: there is none to start.
    if (agent.backend === 'loop') return false
    const known = free().find((spare) => spare.agent.name === agentName)
    if (known?.agent === agent) return true
    if (known !== undefined) await discard(known.sessionId)
    const earlier = making.get(agentName)
    if (earlier !== undefined) return earlier
    if (free().length + making.size >= settings.maxSpares) return false
    const made = make(agent).finally(() => making.delete(agentName))
    making.set(agentName, made)
    return made
  }

  async function make(agent: AgentDefinition): Promise<boolean> {
    const sessionId = options.newSessionId()
    if (!admission.takeFree(sessionId)) return false
    let process: SpareProcess | null = null
    try {
      process = await options.openSpare(agent, sessionId)
      const started = await options.starts.enter('ahead', closing.signal)
      try {
        if (!closing.signal.aborted) await process.warm()
      } finally {
        started()
      }
      spares.set(sessionId, { sessionId, agent, process, since: performance.now(), isTaken: false })
      // The house closed meanwhile: nobody needs it any more.
      if (closing.signal.aborted) await discard(sessionId)
      return spares.has(sessionId)
    } catch (error) {
      logger.warn({ agent: agent.name, error }, 'no process could be kept ready')
      await process?.close({ isTaken: false }).catch(() => undefined)
      admission.leaveProcess(sessionId)
      return false
    }
  }

  /** The id of the spare that fits a new session, which then has to be created with it, or the spare discarded. */
  async function claim({ agent, model, permissionMode, thinking, limits }: SpareRequest): Promise<SessionId | null> {
    const isPlain =
      model === agent.model.id &&
      permissionMode === agent.claude.permissionMode &&
      isDeepStrictEqual(thinking, agent.claude.thinking) &&
      isDeepStrictEqual(limits, agent.limits)
    const spare = isPlain ? free().find((one) => one.agent === agent) : undefined
    if (spare === undefined) return null
    const { sessionId } = spare
    spare.isTaken = true
    try {
      await spare.process.claim()
      return sessionId
    } catch (error) {
      logger.warn({ sessionId, error }, 'a process that was kept ready could not be claimed')
      spare.isTaken = false
      await discard(sessionId)
      return null
    }
  }

  /** The claimed process of a session, once; `null` where there is none that could be used. */
  async function take(running: RunningSession): Promise<OpenBackend | null> {
    const spare = spares.get(running.writer.sessionId)
    if (spare === undefined) return null
    spares.delete(spare.sessionId)
    const backend = await bind(spare, running)
    if (backend === null) await end(spare)
    running.isStarted = backend !== null
    return backend
  }

  /** `null` also where it could not be bound: the session then starts a process of its own. */
  async function bind({ sessionId, process }: Spare, running: RunningSession): Promise<OpenBackend | null> {
    try {
      return await process.bind(running)
    } catch (error) {
      logger.warn({ sessionId, error }, 'a process that was kept ready could not be used')
      return null
    }
  }

  /** Resolves when it is gone, if there was one. */
  async function discard(sessionId: SessionId): Promise<void> {
    const spare = spares.get(sessionId)
    if (spare === undefined) return
    spares.delete(sessionId)
    admission.beginLeaving(sessionId)
    await end(spare)
    admission.leaveProcess(sessionId)
  }

  /** Never rejects: whoever goes on without it must not fail for its sake. */
  async function end(spare: Spare): Promise<void> {
    try {
      await spare.process.close(spare)
    } catch (error) {
      logger.warn({ sessionId: spare.sessionId, error }, 'a process that was kept ready could not be ended')
    }
  }

  function evict(mayGo: (sessionId: SessionId) => boolean): SessionId | null {
    const [oldest] = free().filter(({ sessionId }) => mayGo(sessionId))
    if (oldest === undefined) return null
    void discard(oldest.sessionId)
    return oldest.sessionId
  }

  /** Those nobody took for long go, also when somebody meant to, and those whose agent file has changed. */
  async function sweep(): Promise<void> {
    for (const { sessionId, agent, since } of [...spares.values()]) {
      const isOld = performance.now() - since >= settings.spareIdleMs
      if (isOld || !(await isCurrent(agent))) await discard(sessionId)
    }
  }

  const isCurrent = async (agent: AgentDefinition): Promise<boolean> => {
    try {
      return (await options.loadAgent(agent.name)) === agent
    } catch {
      // The file is gone or broken: nobody can start a session with it.
      return false
    }
  }

  return {
    want,
    claim,
    take,
    discard,
    evict,
    sweep,
    count: () => free().length,
    has: (sessionId: SessionId) => spares.has(sessionId),
    async close() {
      closing.abort()
      await Promise.allSettled(making.values())
      await Promise.all([...spares.keys()].map(discard))
    },
  }
}
