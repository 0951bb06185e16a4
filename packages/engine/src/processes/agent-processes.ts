// The agent processes of the sessions: opened for a turn or ahead of it, closed, and never two for one session.
import { autoModel, type SessionId } from '@quarterdeck/protocol'
import type { LiveSession, OpenBackend } from '../sessions/live-session.ts'
import type { Logger } from '../telemetry/logger.ts'
import { within } from '../within.ts'
import type { Admission } from './admission.ts'
import type { StartLine } from './start-line.ts'

export interface AgentProcessesOptions {
  readonly admission: Pick<Admission, 'hasProcess' | 'beginLeaving' | 'leaveProcess'>
  readonly starts: StartLine
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (live: LiveSession) => Promise<OpenBackend>
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
  const telling = new Set<Promise<unknown>>()

  /** The place for it has been taken before: what has none would be a process that nothing bounds. */
  async function open(live: LiveSession): Promise<OpenBackend> {
    const { sessionId } = live.writer
    if (!admission.hasProcess(sessionId)) throw new Error(`session ${sessionId} has no place for a process`)
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

  /** Makes it ready, unless it is: only so many processes start at once. */
  async function start(live: LiveSession, { session }: OpenBackend, how: ProcessStart): Promise<void> {
    if (live.isStarted) return
    const started = await starts.enter(how.urgency, how.signal)
    try {
      // Meanwhile a turn may have begun, which starts it by itself, or it had to go again.
      if (live.isStarted || live.backend?.session !== session || how.signal.aborted) return
      live.isStarted = true
      await session.warm()
    } finally {
      started()
    }
  }

  /** Before anybody needs it. Never rejects: what cannot start now says so in its turn. */
  async function warm(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    try {
      await start(live, await open(live), { urgency: 'ahead', signal: never })
    } catch (error) {
      logger.warn({ sessionId, error }, 'the agent process could not be started ahead')
      await close(live)
    }
  }

  /** Resolves when it is gone and its place is free. Whoever comes meanwhile waits for a place of its own. */
  function close(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    const hasPlace = admission.beginLeaving(sessionId)
    return leave(live, () => {
      if (hasPlace) admission.leaveProcess(sessionId)
    })
  }

  /** Resolves when it is gone. The turn that goes on without it opens the next one in the same place. */
  const closeForNext = (live: LiveSession): Promise<void> => leave(live, () => undefined)

  function leave(live: LiveSession, onGone: () => void): Promise<void> {
    const { leaving, opening } = live
    const left = (async () => {
      await leaving
      // One that is just being opened is waited for: nobody would end it otherwise.
      await opening?.catch(() => undefined)
      await end(live)
      onGone()
    })().finally(() => {
      if (live.leaving === left) live.leaving = null
    })
    live.leaving = left
    return left
  }

  async function end(live: LiveSession): Promise<void> {
    const { sessionId } = live.writer
    const { backend } = live
    live.backend = null
    live.isStarted = false
    try {
      const isClosed = backend === null || (await within(backend.session.close(), options.endPatienceMs)) !== null
      if (!isClosed) logger.error({ sessionId }, 'the agent process did not end in time')
    } catch (error) {
      logger.error({ sessionId, error }, 'the agent process could not be ended')
    }
    if (backend === null) return
    options.onLeft(sessionId)
    tellEnd(backend)
  }

  /** Nobody waits for those who are told, but a house that closes. */
  function tellEnd({ tellEnded }: OpenBackend): void {
    const told = tellEnded()
      .catch((error: unknown) => logger.error({ error }, 'the end of a process could not be told'))
      .finally(() => telling.delete(told))
    telling.add(told)
  }

  return {
    ...{ open, start, warm, close, closeForNext },
    /** Resolves when everybody has heard of the processes that have ended. */
    async settled() {
      await Promise.all(telling)
    },
  }
}
