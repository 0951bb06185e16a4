// The agent processes of the sessions: opened for a turn or ahead of it, closed, and never two for one session.
import { autoModel, type SessionId } from '@quarterdeck/protocol'
import type { LiveSession, OpenBackend } from '../sessions/live-session.ts'
import type { Logger } from '../telemetry/logger.ts'
import { within } from '../within.ts'
import type { Admission } from './admission.ts'
import type { StartLine } from './start-line.ts'

export interface AgentProcessesOptions {
  readonly admission: Pick<Admission, 'leaveProcess'>
  readonly starts: StartLine
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (live: LiveSession) => Promise<OpenBackend>
  /** The process is gone: its way to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
  readonly logger: Logger
}

export type AgentProcesses = ReturnType<typeof createAgentProcesses>

/** A process that does not end is left to die with the server; its session must not wait for it. */
const closeBoundMs = 30_000

export function createAgentProcesses(options: AgentProcessesOptions) {
  const { admission, starts, logger } = options

  /** The place for it has been taken before. */
  async function open(live: LiveSession): Promise<OpenBackend> {
    if (live.backend !== null) return live.backend
    live.opening ??= openNow(live).finally(() => {
      live.opening = null
    })
    return live.opening
  }

  async function openNow(live: LiveSession): Promise<OpenBackend> {
    await live.leaving
    const { model, permissionMode, thinking } = live.writer.state()
    const backend = await options.openBackend(live)
    live.backend = backend
    // What was chosen while it opened found no process to tell.
    const now = live.writer.state()
    if (now.model !== model && now.model !== autoModel) await backend.session.setModel(now.model)
    if (now.permissionMode !== permissionMode) await backend.session.setPermissionMode(now.permissionMode)
    if (now.thinking !== thinking) await backend.session.setThinking(now.thinking)
    return backend
  }

  /** Before anybody needs it. Never rejects: what cannot start now says so in its turn. */
  async function warm(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    try {
      const { session } = await open(live)
      const started = await starts.enter('ahead')
      try {
        // Meanwhile a turn may have begun, which starts it by itself, or it had to go again.
        if (live.isStarted || live.backend?.session !== session) return
        live.isStarted = true
        await session.warm()
      } finally {
        started()
      }
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be started ahead')
      await close(live)
    }
  }

  /** Resolves when it is gone and its place is free. */
  function close(live: LiveSession): Promise<void> {
    const { leaving, opening } = live
    live.leaving = leaving.then(async () => {
      // One that is just being opened is waited for: nobody would end it otherwise.
      await opening?.catch(() => undefined)
      await end(live)
    })
    return live.leaving
  }

  async function end(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    const { backend } = live
    live.backend = null
    live.isStarted = false
    try {
      const isClosed = backend === null || (await within(backend.session.close(), closeBoundMs)) !== null
      if (!isClosed) logger.error({ sessionId }, 'the agent process did not end in time')
    } catch (error) {
      logger.error({ sessionId, error }, 'the agent process could not be ended')
    }
    if (backend !== null) options.onLeft(sessionId)
    admission.leaveProcess(sessionId)
  }

  return { open, warm, close }
}
