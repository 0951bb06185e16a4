// The agent processes of the sessions: opened for a turn or ahead of it, closed, and never two for one session.
import { autoModel, type SessionId } from '@quarterdeck/protocol'
import { withTimeout } from '../async/with-timeout.ts'
import type { Logger } from '../ports/logger.ts'
import type { OpenBackend, RunningSession } from '../sessions/state/running-session.ts'
import type { Admission } from './admission.ts'
import type { StartQueue } from './start-queue.ts'

export interface AgentProcessesOptions {
  readonly admission: Pick<Admission, 'hasProcess' | 'beginLeaving' | 'leaveProcess'>
  readonly starts: StartQueue
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (running: RunningSession) => Promise<OpenBackend>
  /** The process is gone: its way to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
  /** What does not end by then is left to die with the server: its session must not wait for it. */
  readonly endPatienceMs: number
  readonly logger: Logger
}

export type AgentProcesses = ReturnType<typeof createAgentProcesses>

const never = new AbortController().signal

export interface ProcessStart {
  readonly urgency: 'awaited' | 'ahead'
  readonly signal: AbortSignal
}

export function createAgentProcesses(options: AgentProcessesOptions) {
  const { admission, starts, logger } = options
  const notifying = new Set<Promise<unknown>>()

  /** The place for it has been taken before: what has none would be a process that nothing bounds. */
  async function open(running: RunningSession): Promise<OpenBackend> {
    const { sessionId } = running.writer
    if (!admission.hasProcess(sessionId)) throw new Error(`session ${sessionId} has no place for a process`)
    if (running.backend !== null) return running.backend
    running.opening ??= openNow(running).finally(() => {
      running.opening = null
    })
    return running.opening
  }

  async function openNow(running: RunningSession): Promise<OpenBackend> {
    await running.leaving
    const { model, permissionMode, thinking } = running.writer.state()
    const backend = await options.openBackend(running)
    running.backend = backend
    // What was chosen while it opened found no process to tell.
    const now = running.writer.state()
    if (now.model !== model && now.model !== autoModel) await backend.session.setModel(now.model)
    if (now.permissionMode !== permissionMode) await backend.session.setPermissionMode(now.permissionMode)
    if (now.thinking !== thinking) await backend.session.setThinking(now.thinking)
    return backend
  }

  /** Makes it ready, unless it is: only so many processes start at once. */
  async function start(running: RunningSession, { session }: OpenBackend, how: ProcessStart): Promise<void> {
    if (running.isStarted) return
    const started = await starts.enter(how.urgency, how.signal)
    try {
      // Meanwhile a turn may have begun, which starts it by itself, or it had to go again.
      if (running.isStarted || running.backend?.session !== session || how.signal.aborted) return
      running.isStarted = true
      await session.warm()
    } finally {
      started()
    }
  }

  /** Before anybody needs it. Never rejects: what cannot start now says so in its turn. */
  async function warm(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    try {
      await start(running, await open(running), { urgency: 'ahead', signal: never })
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be started ahead')
      await close(running)
    }
  }

  /** Resolves when it is gone and its place is free. Whoever comes meanwhile waits for a place of its own. */
  function close(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    const hasSlot = admission.beginLeaving(sessionId)
    return leave(running, () => {
      if (hasSlot) admission.leaveProcess(sessionId)
    })
  }

  /** Resolves when it is gone. The turn that goes on without it opens the next one in the same place. */
  const closeForNext = (running: RunningSession): Promise<void> => leave(running, () => undefined)

  function leave(running: RunningSession, onGone: () => void): Promise<void> {
    const { leaving, opening } = running
    const left = (async () => {
      await leaving
      // One that is just being opened is waited for: nobody would end it otherwise.
      await opening?.catch(() => undefined)
      await end(running)
      onGone()
    })().finally(() => {
      if (running.leaving === left) running.leaving = null
    })
    running.leaving = left
    return left
  }

  async function end(running: RunningSession): Promise<void> {
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

  /** Nobody waits for those who are told, but a house that closes. */
  function trackEndNotification({ notifyEnded }: OpenBackend): void {
    const notification = notifyEnded()
      .catch((error: unknown) => logger.error({ error }, 'the end of a process could not be told'))
      .finally(() => notifying.delete(notification))
    notifying.add(notification)
  }

  return {
    open,
    start,
    warm,
    close,
    closeForNext,
    /** Resolves when everybody has heard of the processes that have ended. */
    async settled() {
      await Promise.all(notifying)
    },
  }
}
