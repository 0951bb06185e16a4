// Opens, starts and closes the agent processes of sessions. A session never has two.
import { autoModel, neverAborted, type SessionId, type SessionState, withTimeout } from '@quarterdeck/protocol'
import type { OpenBackend } from '../../processes/agent-process.ts'
import { createProcessManager, type ProcessManagerOptions } from '../../processes/process-manager.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface AgentProcessesOptions
  extends Omit<ProcessManagerOptions<RunningSession>, 'openStarted' | 'closeProcess'> {
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (running: RunningSession) => Promise<OpenBackend>
  /** The process has ended: the session's access to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
}

export type AgentProcesses = ReturnType<typeof createAgentProcesses>

export function createAgentProcesses(options: AgentProcessesOptions) {
  const { logger, settings } = options
  const manager = createProcessManager({
    ...options,
    openStarted: (running, signal) => openStarted(running, 'awaited', signal),
    closeProcess: close,
  })
  const { admission, starts, spares } = manager
  const notifying = new Set<Promise<unknown>>()

  /** The slot must have been taken before: processes without a slot would be unlimited. */
  async function open(running: RunningSession): Promise<OpenBackend> {
    const { sessionId } = running.writer
    if (!admission.hasProcess(sessionId)) throw new Error(`session ${sessionId} has no process slot`)
    const phase = running.process.phase()
    if (phase.type === 'open') return phase.backend
    if (phase.type === 'opening') return phase.opened
    const opened = openAfter(phase.type === 'closing' ? phase.closed : null, running)
    running.process.beginOpening(opened)
    return opened
  }

  async function openAfter(closed: Promise<void> | null, running: RunningSession): Promise<OpenBackend> {
    try {
      await closed
      let applied = running.writer.state()
      const spare = await spares.take(running)
      const backend = spare ?? (await options.openBackend(running))
      // Settings that changed while the process opened.
      for (let now = running.writer.state(); now !== applied; now = running.writer.state()) {
        await applySettings(backend, applied, now)
        applied = now
      }
      running.process.becomeOpen(backend, { isStarted: spare !== null })
      return backend
    } catch (error) {
      running.process.failOpening()
      throw error
    }
  }

  /** A process that fails to apply them ends. */
  async function applySettings(backend: OpenBackend, applied: SessionState, now: SessionState): Promise<void> {
    const { session } = backend
    try {
      if (now.model !== applied.model && now.model !== autoModel) await session.setModel(now.model)
      if (now.permissionMode !== applied.permissionMode) await session.setPermissionMode(now.permissionMode)
      if (now.thinking !== applied.thinking) await session.setThinking(now.thinking)
    } catch (error) {
      await end(now.sessionId, backend)
      throw error
    }
  }

  /** Starts the process unless it is started already. The start queue limits how many start at once. */
  async function openStarted(
    running: RunningSession,
    urgency: 'awaited' | 'ahead',
    signal: AbortSignal,
  ): Promise<OpenBackend> {
    const backend = await open(running)
    if (running.process.isStarted()) return backend
    const started = await starts.enter(urgency, signal)
    try {
      // Meanwhile a turn may have started it, or it may have been closed.
      if (!signal.aborted && running.process.markStarted(backend)) await backend.session.warm()
      return backend
    } finally {
      started()
    }
  }

  /** Starts the process ahead of use. Never rejects: the next turn reports a failure. */
  async function warm(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    try {
      await openStarted(running, 'ahead', neverAborted())
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be started ahead of use')
      await close(running)
    }
  }

  /** Resolves when the process is gone and its slot is free. New callers meanwhile wait for a slot of their own. */
  function close(running: RunningSession): Promise<void> {
    const { sessionId } = running.writer
    const hasSlot = admission.beginLeaving(sessionId)
    return running.process.close(async (backend) => {
      await end(sessionId, backend)
      if (hasSlot) admission.leaveProcess(sessionId)
    })
  }

  /** Resolves when the process is gone. The turn that continues opens the next one in the same slot. */
  const closeForNext = ({ writer, process }: RunningSession): Promise<void> =>
    process.close((backend) => end(writer.sessionId, backend))

  async function end(sessionId: SessionId, backend: OpenBackend | null): Promise<void> {
    if (backend === null) return
    try {
      const isClosed = (await withTimeout(backend.session.close(), settings.endTimeoutMs)) !== null
      if (!isClosed) logger.error({ sessionId }, 'the agent process did not end in time')
    } catch (error) {
      logger.error({ sessionId, error }, 'the agent process could not be ended')
    }
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
    ...manager,
    open,
    warm,
    close,
    closeForNext,
    /** Resolves when the ends of all processes have been reported. */
    async settled() {
      await Promise.all(notifying)
    },
  }
}
