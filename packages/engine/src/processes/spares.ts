// A spare is a process that is ready for the next session of an agent in use. Its session id is fixed: a new session
// with the settings of the agent file takes the id, and with it the process.
import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition, SessionId, SessionState } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { AdmissionQueue } from './admission-queue.ts'
import type { OpenBackend } from './agent-process.ts'
import type { ProcessSettings } from './process-settings.ts'
import type { SessionWithProcess } from './session-with-process.ts'
import type { StartQueue } from './start-queue.ts'

/** A process without a session. */
export interface SpareProcess<Session extends SessionWithProcess> {
  readonly warm: () => Promise<void>
  /** Empties its copy of the folder: the session gets a new copy of the folder as it is then. */
  readonly claim: () => Promise<void>
  /** Gives it to the session with its id; `null` if its access to the model is no longer the right one. */
  readonly bind: (running: Session) => Promise<OpenBackend | null>
  /** Ends it. An unclaimed one leaves nothing behind. */
  readonly close: (options: { readonly isTaken: boolean }) => Promise<void>
}

/** The settings of a session that a process is started with. */
type Settings = Pick<SessionState, 'model' | 'permissionMode' | 'thinking' | 'limits'>

export interface SpareRequest extends Settings {
  readonly agent: AgentDefinition
}

export interface SparesOptions<Session extends SessionWithProcess> {
  readonly settings: Pick<ProcessSettings, 'spares' | 'maxSpares' | 'spareIdleMs'>
  readonly admission: Pick<AdmissionQueue, 'takeFree' | 'beginLeaving' | 'leaveProcess'>
  readonly starts: StartQueue
  readonly loadAgent: (name: string) => Promise<AgentDefinition>
  readonly newSessionId: () => SessionId
  /** False while the machine has too little memory for a spare. */
  readonly hasMemory: () => boolean
  /** Opens a process for a session that does not exist yet, with the settings of the agent file. */
  readonly openSpare: (agent: AgentDefinition, sessionId: SessionId) => Promise<SpareProcess<Session>>
  readonly logger: Logger
}

interface Spare<Session extends SessionWithProcess> {
  readonly sessionId: SessionId
  readonly agent: AgentDefinition
  readonly process: SpareProcess<Session>
  readonly since: number
  isTaken: boolean
}

export function createSpares<Session extends SessionWithProcess>(options: SparesOptions<Session>) {
  const { settings, admission, logger } = options
  const spares = new Map<SessionId, Spare<Session>>()
  const making = new Map<string, Promise<boolean>>()
  const closing = new AbortController()

  const free = () => [...spares.values()].filter(({ isTaken }) => !isTaken)

  /** Makes a spare if there is capacity. True when one is ready. Throws the problems of the agent file. */
  async function ensure(agentName: string): Promise<boolean> {
    if (!settings.spares || closing.signal.aborted || !options.hasMemory()) return false
    const agent = await options.loadAgent(agentName)
    // The loop runs in this process: there is nothing to start.
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
    let process: SpareProcess<Session> | null = null
    try {
      process = await options.openSpare(agent, sessionId)
      const started = await options.starts.enter('ahead', closing.signal)
      try {
        if (!closing.signal.aborted) await process.warm()
      } finally {
        started()
      }
      spares.set(sessionId, { sessionId, agent, process, since: performance.now(), isTaken: false })
      // The server closed meanwhile.
      if (closing.signal.aborted) await discard(sessionId)
      return spares.has(sessionId)
    } catch (error) {
      logger.warn({ agent: agent.name, error }, 'no spare process could be made ready')
      await process?.close({ isTaken: false }).catch(() => undefined)
      admission.leaveProcess(sessionId)
      return false
    }
  }

  /** The id of a spare for a new session. The caller must create the session with it, or discard the spare. */
  async function claim({ agent, ...settings }: SpareRequest): Promise<SessionId | null> {
    const spare = isPlain(agent, settings) ? free().find((one) => one.agent === agent) : undefined
    if (spare === undefined) return null
    const { sessionId } = spare
    spare.isTaken = true
    try {
      await spare.process.claim()
      return sessionId
    } catch (error) {
      logger.warn({ sessionId, error }, 'a spare process could not be claimed')
      spare.isTaken = false
      await discard(sessionId)
      return null
    }
  }

  /** The claimed process of a session, once; `null` if there is no usable one. */
  async function take(running: Session): Promise<OpenBackend | null> {
    const spare = spares.get(running.writer.sessionId)
    if (spare === undefined) return null
    spares.delete(spare.sessionId)
    const backend = await bind(spare, running)
    if (backend === null) await end(spare)
    return backend
  }

  /** `null` if its settings have changed or binding fails: the session then starts a process of its own. */
  async function bind({ sessionId, agent, process }: Spare<Session>, running: Session): Promise<OpenBackend | null> {
    if (!isPlain(agent, running.writer.state())) return null
    try {
      return await process.bind(running)
    } catch (error) {
      logger.warn({ sessionId, error }, 'a spare process could not be used')
      return null
    }
  }

  /** Resolves when the spare is gone, if there was one. */
  async function discard(sessionId: SessionId): Promise<void> {
    const spare = spares.get(sessionId)
    if (spare === undefined) return
    spares.delete(sessionId)
    admission.beginLeaving(sessionId)
    await end(spare)
    admission.leaveProcess(sessionId)
  }

  /** Never rejects: the caller continues without the spare. */
  async function end(spare: Spare<Session>): Promise<void> {
    try {
      await spare.process.close(spare)
    } catch (error) {
      logger.warn({ sessionId: spare.sessionId, error }, 'a spare process could not be ended')
    }
  }

  function evict(mayGo: (sessionId: SessionId) => boolean): SessionId | null {
    const [oldest] = free().filter(({ sessionId }) => mayGo(sessionId))
    if (oldest === undefined) return null
    void discard(oldest.sessionId)
    return oldest.sessionId
  }

  /** Ends spares that were made too long ago, even claimed ones, and those whose agent file has changed. */
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
      // The file is gone or broken: no session can start with it.
      return false
    }
  }

  return {
    ensure,
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

/** A spare was started with the settings of the agent file. */
const isPlain = (agent: AgentDefinition, { model, permissionMode, thinking, limits }: Settings): boolean =>
  model === agent.model.id &&
  permissionMode === agent.claude.permissionMode &&
  isDeepStrictEqual(thinking, agent.claude.thinking) &&
  isDeepStrictEqual(limits, agent.limits)
