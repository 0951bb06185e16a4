// Everything about processes in one place: who may have one, who waits for one, and when it goes.
import { freemem } from 'node:os'
import { QuarterdeckError, type Queue, type SessionId } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import type { Bus } from '../bus.ts'
import type { HeldSessions } from '../sessions/held-sessions.ts'
import type { LiveSession, OpenBackend } from '../sessions/live-session.ts'
import type { Clock, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { createAdmission } from './admission.ts'
import { createAgentProcesses } from './agent-processes.ts'
import { createHibernation } from './hibernation.ts'
import { bytesPerProcess, type ProcessSettings } from './process-settings.ts'
import { createQueueBoard } from './queue-board.ts'
import { createSpares, type SparesOptions } from './spares.ts'
import { createStartLine } from './start-line.ts'
import type { TurnPlace } from './turn-place.ts'
import { createTurnWatch } from './turn-watch.ts'

export interface ProcessHouseOptions extends Pick<SparesOptions, 'loadAgent' | 'openSpare'> {
  readonly settings: ProcessSettings
  readonly held: HeldSessions
  readonly bus: Bus
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (live: LiveSession) => Promise<OpenBackend>
  /** The process is gone: its way to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
  /** In bytes; the machine's unless a test says. */
  readonly freeMemory?: () => number
}

export type ProcessHouse = ReturnType<typeof createProcessHouse>

/** Between two looks at what rests, waits or is stuck. */
function tickMs({ hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs }: ProcessSettings): number {
  return Math.min(
    5000,
    Math.max(20, Math.min(hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs) / 4),
  )
}

export function createProcessHouse(options: ProcessHouseOptions) {
  const { settings, held, bus, logger, freeMemory = freemem } = options
  const board = createQueueBoard(options)
  const starts = createStartLine(settings.maxStarting)
  const admission = createAdmission({
    ...{ ...settings, board },
    hasMemory: () => freeMemory() >= settings.memoryFloorBytes,
    evict: (mayGo) => evict(mayGo),
  })
  const spares = createSpares({
    ...{ ...options, admission, starts },
    newSessionId: () => options.ids.next('ses') as SessionId, // ids are made here, so the brand is too
    hasMemory: () => freeMemory() - bytesPerProcess >= settings.memoryFloorBytes,
  })
  const processes = createAgentProcesses({
    ...{ ...options, admission, starts, endPatienceMs: settings.endPatienceMs },
    openBackend: async (live) => (await spares.take(live)) ?? options.openBackend(live),
  })
  const giveBack = (sessionId: SessionId) => {
    // The process of a session that has not begun yet is there, though the session does not know it.
    if (!spares.has(sessionId)) admission.giveBack(sessionId)
  }
  const { isInLine } = admission
  const hibernation = createHibernation({ settings, held, processes, isInLine, giveBack, logger })
  const everyMs = tickMs(settings)
  const watch = createTurnWatch({ everyMs, stuckAfterMs: settings.stuckAfterMs })
  const standing = new Map<AbortController, LiveSession>()
  let isStopped = false

  const evict = (mayGo: (sessionId: SessionId) => boolean) => spares.evict(mayGo) ?? hibernation.evict(mayGo)

  const ticking = setInterval(() => {
    watch.look(held.kept())
    hibernation.sweep()
    if (freeMemory() < settings.memoryFloorBytes) evict(() => true)
    admission.review()
    spares.sweep().catch((error: unknown) => logger.error({ error }, 'spares could not be looked after'))
  }, everyMs)
  ticking.unref()

  const aboutOf = (live: LiveSession) => () => {
    const { agentName, title } = live.writer.state()
    return { agentName, title }
  }

  /** As its file says now. One that cannot be loaded sets no limit: the turn will say what is wrong with it. */
  async function agentLimitOf({ writer }: LiveSession): Promise<number | null> {
    const agent = await options.loadAgent(writer.state().agentName).catch(() => null)
    return agent?.maxConcurrentSessions ?? null
  }

  /** Waits in line for as long as the session wants a turn; `null` when it no longer does. */
  async function enterTurn(live: LiveSession, isWanted: () => boolean): Promise<TurnPlace | null> {
    const { sessionId } = live.writer
    const left = new AbortController()
    const unsubscribe = bus.subscribe(sessionId, () => {
      if (!isWanted()) left.abort()
    })
    standing.set(left, live)
    try {
      const agentLimit = await agentLimitOf(live)
      return await admission.enterTurn({ sessionId, about: aboutOf(live), agentLimit }, left.signal)
    } finally {
      standing.delete(left)
      unsubscribe()
    }
  }

  /**
   * Lends the process to somebody who needs it outside of a turn; it waits in line for one like everybody else, but not
   * without end.
   */
  async function use<Result>(live: LiveSession, work: (session: AgentSession) => Promise<Result>): Promise<Result> {
    live.users += 1
    held.keep(live)
    try {
      const backend = await lend(live)
      return await work(backend.session)
    } finally {
      live.users -= 1
      live.restingSince = performance.now()
      if (live.users === 0 && live.backend === null && live.opening === null) giveBack(live.writer.sessionId)
      hibernation.letRest(live)
    }
  }

  async function lend(live: LiveSession): Promise<OpenBackend> {
    const { sessionId } = live.writer
    const left = new AbortController()
    const { signal } = left
    const timer = setTimeout(() => left.abort(), settings.lendPatienceMs)
    standing.set(left, live)
    try {
      if (isStopped || !(await admission.enterProcess({ sessionId, about: aboutOf(live) }, signal))) throw refusal(live)
      const backend = await processes.open(live)
      await processes.start(live, backend, { urgency: 'awaited', signal })
      if (isStopped || !live.isStarted) throw refusal(live)
      return backend
    } finally {
      clearTimeout(timer)
      standing.delete(left)
    }
  }

  const refusal = (live: LiveSession): QuarterdeckError =>
    isStopped
      ? new QuarterdeckError('server.draining', 'the server is shutting down: try again')
      : new QuarterdeckError(
          'session.busy',
          `no process is free for session ${live.writer.sessionId}: try again when others rest`,
        )

  /** The session was taken from us: it stands in no line any more. */
  function leaveLine(live: LiveSession): void {
    for (const [left, whose] of standing) if (whose === live) left.abort()
  }

  /** Takes a place for a process ahead of a message. False when there is no room, or when it is being used anyway. */
  async function wake(live: LiveSession): Promise<boolean> {
    if (live.working !== null) return false
    await live.leaving
    if (!(await admission.takeProcess(live.writer.sessionId))) return false
    held.keep(live)
    live.restingSince = performance.now()
    return true
  }

  /** It got too old or too big: the next turn has a fresh one. */
  async function recycleIfWorn(live: LiveSession): Promise<void> {
    const load = live.backend?.session.load()
    if (load === undefined) return
    const isOld = load.turns >= settings.recycleAfterTurns
    const isBig = load.residentBytes !== null && load.residentBytes >= settings.recycleAboveBytes
    if (isOld || isBig) await hibernation.hibernate(live, 'recycled')
  }

  /** Ends whatever process the session has, and one that waits for its first turn. */
  async function end(live: LiveSession): Promise<void> {
    await spares.discard(live.writer.sessionId)
    await processes.close(live)
  }

  /** The agent is in use: the next session of it finds a process ready. */
  function keepSpare(agentName: string): void {
    spares.want(agentName).catch((error: unknown) => logger.warn({ agentName, error }, 'no process is kept ready'))
  }

  const queue = (): Queue => ({
    waiting: [...board.waiting()],
    processes: { resident: admission.resident(), limit: settings.maxResident, spare: spares.count() },
    turns: { running: admission.running(), limit: settings.maxRunningTurns },
  })

  return {
    ...{ starts, processes, spares, board, enterTurn, leaveLine, use, wake, recycleIfWorn, end, keepSpare, queue },
    hibernate: hibernation.hibernate,
    letRest: hibernation.letRest,
    /** Everybody leaves the line: nobody is let in any more, and nothing is kept ready. */
    async stop() {
      isStopped = true
      clearInterval(ticking)
      for (const left of standing.keys()) left.abort()
      await spares.close()
    },
  }
}
