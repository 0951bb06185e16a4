// Opens, starts and closes the agent processes of sessions. A session never has two.
import { autoModel, type SessionId, withTimeout } from '@quarterdeck/protocol'
import type { Logger } from '../ports/logger.ts'
import type { Admission } from './admission.ts'
import type { OpenBackend, ProcessHolder } from './process-holder.ts'
import type { StartQueue } from './start-queue.ts'

export interface AgentProcessesOptions<Session extends ProcessHolder> {
  readonly admission: Pick<Admission, 'hasProcess' | 'beginLeaving' | 'leaveProcess'>
  readonly starts: StartQueue
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (running: Session) => Promise<OpenBackend>
  /** The process has ended: the session's access to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
  /** A process that has not ended by then is abandoned, so that its session does not wait for it. */
  readonly endPatienceMs: number
  readonly logger: Logger
}

export type AgentProcesses<Session extends ProcessHolder> = ReturnType<typeof createAgentProcesses<Session>>

const never = new AbortController().signal

export interface ProcessStart {
  readonly urgency: 'awaited' | 'ahead'
  readonly signal: AbortSignal
}

export function createAgentProcesses<Session extends ProcessHolder>(options: AgentProcessesOptions<Session>) {
  const { admission, starts, logger } = options
  const notifying = new Set<Promise<unknown>>()

  /** The slot must have been taken before: processes without a slot would be unlimited. */
  async function open(running: Session): Promise<OpenBackend> {
    const { sessionId } = running.writer
    if (!admission.hasProcess(sessionId)) throw new Error(`session ${sessionId} has no process slot`)
    if (running.backend !== null) return running.backend
    running.opening ??= openNow(running).finally(() => {
      running.opening = null
    })
    return running.opening
  }

  async function openNow(running: Session): Promise<OpenBackend> {
    await running.leaving
    const { model, permissionMode, thinking } = running.writer.state()
    const backend = await options.openBackend(running)
    running.backend = backend
    // Settings that changed while the process opened.
    const now = running.writer.state()
    if (now.model !== model && now.model !== autoModel) await backend.session.setModel(now.model)
    if (now.permissionMode !== permissionMode) await backend.session.setPermissionMode(now.permissionMode)
    if (now.thinking !== thinking) await backend.session.setThinking(now.thinking)
    return backend
  }

  /** Starts the process unless it is started already. The start queue limits how many start at once. */
  async function start(running: Session, { session }: OpenBackend, how: ProcessStart): Promise<void> {
    if (running.isStarted) return
    const started = await starts.enter(how.urgency, how.signal)
    try {
      // Meanwhile a turn may have started it, or it may have been closed.
      if (running.isStarted || running.backend?.session !== session || how.signal.aborted) return
      running.isStarted = true
      await session.warm()
    } finally {
      started()
    }
  }

  /** Starts the process ahead of use. Never rejects: the next turn reports a failure. */
  async function warm(running: Session): Promise<void> {
    const { sessionId } = running.writer
    try {
      await start(running, await open(running), { urgency: 'ahead', signal: never })
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be started ahead of use')
      await close(running)
    }
  }

  /** Resolves when the process is gone and its slot is free. New callers meanwhile wait for a slot of their own. */
  function close(running: Session): Promise<void> {
    const { sessionId } = running.writer
    const hasSlot = admission.beginLeaving(sessionId)
    return leave(running, () => {
      if (hasSlot) admission.leaveProcess(sessionId)
    })
  }

  /** Resolves when the process is gone. The turn that continues opens the next one in the same slot. */
  const closeForNext = (running: Session): Promise<void> => leave(running, () => undefined)

  function leave(running: Session, onGone: () => void): Promise<void> {
    const { leaving, opening } = running
    const left = (async () => {
      await leaving
      // Waits for a process that is just being opened: nothing else would end it.
      await opening?.catch(() => undefined)
      await end(running)
      onGone()
    })().finally(() => {
      if (running.leaving === left) running.leaving = null
    })
    running.leaving = left
    return left
  }

  async function end(running: Session): Promise<void> {
    const { sessionId } = running.writer
    const { backend } = running
    running.backend = null
    running.isStarted = false
    try {
      const isClosed = backend === null || (await withTimeout(backend.session.close(), options.endPatienceMs)) !== null
      if (!isClosed) logger.error({ sessionId }, 'the agent process did not end in time')
    } catch (error) {
      logger.error({ sessionId, error }, 'the agent process could not be ended')
    }
    if (backend === null) return
    options.onLeft(sessionId)
    trackEndNotification(backend)
  }

  /** Only a closing server waits for these notifications. */
  function trackEndNotification({ notifyEnded }: OpenBackend): void {
    const notification = notifyEnded()
      .catch((error: unknown) => logger.error({ error }, 'the end of a process could not be reported to its hooks'))
      .finally(() => notifying.delete(notification))
    notifying.add(notification)
  }

  return {
    open,
    start,
    warm,
    close,
    closeForNext,
    /** Resolves when the ends of all processes have been reported. */
    async settled() {
      await Promise.all(notifying)
    },
  }
}
