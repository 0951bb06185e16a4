// Everything about processes in one place: who may have one, who waits for one, and when it goes.
import { freemem } from 'node:os'
import { QuarterdeckError, type Queue, type SessionId } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import type { Bus } from '../ports/bus.ts'
import type { Logger } from '../ports/logger.ts'
import type { HeldSessions } from '../sessions/state/held-sessions.ts'
import type { OpenBackend, RunningSession } from '../sessions/state/running-session.ts'
import type { Clock, Ids } from '../store/ports/event-store.ts'
import { createAdmission } from './admission.ts'
import { createAgentProcesses } from './agent-processes.ts'
import { createHibernation } from './hibernation.ts'
import { bytesPerProcess, type ProcessSettings } from './process-settings.ts'
import { createQueuePositions } from './queue-positions.ts'
import { createSpares, type SparesOptions } from './spares.ts'
import { createStartQueue } from './start-queue.ts'
import type { TurnSlot } from './turn-slot.ts'
import { createTurnWatch } from './turn-watch.ts'

export interface ProcessManagerOptions extends Pick<SparesOptions, 'loadAgent' | 'openSpare'> {
  readonly settings: ProcessSettings
  readonly held: HeldSessions
  readonly bus: Bus
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  /** Starts or resumes the agent's process for a session. */
  readonly openBackend: (running: RunningSession) => Promise<OpenBackend>
  /** The process is gone: its way to the model closes too. */
  readonly onLeft: (sessionId: SessionId) => void
  /** In bytes; the machine's unless a test says. */
  readonly freeMemory?: () => number
}

export type ProcessManager = ReturnType<typeof createProcessManager>

/** Between two looks at what rests, waits or is stuck. */
function tickMs({ hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs }: ProcessSettings): number {
  return Math.min(
    5000,
    Math.max(20, Math.min(hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs) / 4),
  )
}

export function createProcessManager(options: ProcessManagerOptions) {
  const { settings, held, bus, logger, freeMemory = freemem } = options
  const queuePositions = createQueuePositions(options)
  const starts = createStartQueue(settings.maxStarting)
  const admission = createAdmission({
    ...settings,
    queuePositions,
    hasMemory: () => freeMemory() >= settings.memoryFloorBytes,
    evict: (mayGo) => evict(mayGo),
  })
  const spares = createSpares({
    ...options,
    admission,
    starts,
    newSessionId: () => options.ids.next('ses') as SessionId, // ids are made here, so the brand is too
    hasMemory: () => freeMemory() - bytesPerProcess >= settings.memoryFloorBytes,
  })
  const processes = createAgentProcesses({
    ...options,
    admission,
    starts,
    endPatienceMs: settings.endPatienceMs,
    openBackend: async (running) => (await spares.take(running)) ?? options.openBackend(running),
  })
  const giveBack = (sessionId: SessionId) => {
    // The process of a session that has not begun yet is there, though the session does not know it.
    if (!spares.has(sessionId)) admission.giveBack(sessionId)
  }
  const { isQueued } = admission
  const hibernation = createHibernation({ settings, held, processes, isQueued, giveBack, logger })
  const everyMs = tickMs(settings)
  const watch = createTurnWatch({ everyMs, stuckAfterMs: settings.stuckAfterMs })
  const queued = new Map<AbortController, RunningSession>()
  let isStopped = false

  const evict = (mayGo: (sessionId: SessionId) => boolean) => spares.evict(mayGo) ?? hibernation.evict(mayGo)

  const ticking = setInterval(() => {
    watch.check(held.retained())
    hibernation.sweep()
    if (freeMemory() < settings.memoryFloorBytes) evict(() => true)
    admission.review()
    spares.sweep().catch((error: unknown) => logger.error({ error }, 'spares could not be looked after'))
  }, everyMs)
  ticking.unref()

  const aboutOf = (running: RunningSession) => () => {
    const { agentName, title } = running.writer.state()
    return { agentName, title }
  }

  /** As its file says now. One that cannot be loaded sets no limit: the turn will say what is wrong with it. */
  async function agentLimitOf({ writer }: RunningSession): Promise<number | null> {
    const agent = await options.loadAgent(writer.state().agentName).catch(() => null)
    return agent?.maxConcurrentSessions ?? null
  }

  /** Waits in line for as long as the session wants a turn; `null` when it no longer does. */
  async function enterTurn(running: RunningSession, isWanted: () => boolean): Promise<TurnSlot | null> {
    const { sessionId } = running.writer
    const left = new AbortController()
    const unsubscribe = bus.subscribe(sessionId, () => {
      if (!isWanted()) left.abort()
    })
    queued.set(left, running)
    try {
      const agentLimit = await agentLimitOf(running)
      return await admission.enterTurn({ sessionId, about: aboutOf(running), agentLimit }, left.signal)
    } finally {
      queued.delete(left)
      unsubscribe()
    }
  }

  /**
   * Lends the process to somebody who needs it outside of a turn; it waits in line for one like everybody else, but not
   * without end.
   */
  async function use<Result>(
    running: RunningSession,
    work: (session: AgentSession) => Promise<Result>,
  ): Promise<Result> {
    running.users += 1
    held.keep(running)
    try {
      const backend = await lend(running)
      return await work(backend.session)
    } finally {
      running.users -= 1
      running.restingSince = performance.now()
      if (running.users === 0 && running.backend === null && running.opening === null)
        giveBack(running.writer.sessionId)
      hibernation.letRest(running)
    }
  }

  async function lend(running: RunningSession): Promise<OpenBackend> {
    const { sessionId } = running.writer
    const left = new AbortController()
    const { signal } = left
    const timer = setTimeout(() => left.abort(), settings.lendPatienceMs)
    queued.set(left, running)
    try {
      if (isStopped || !(await admission.enterProcess({ sessionId, about: aboutOf(running) }, signal)))
        throw refusal(running)
      const backend = await processes.open(running)
      await processes.start(running, backend, { urgency: 'awaited', signal })
      if (isStopped || !running.isStarted) throw refusal(running)
      return backend
    } finally {
      clearTimeout(timer)
      queued.delete(left)
    }
  }

  const refusal = (running: RunningSession): QuarterdeckError =>
    isStopped
      ? new QuarterdeckError('server.draining', 'the server is shutting down: try again')
      : new QuarterdeckError(
          'session.busy',
          `no process is free for session ${running.writer.sessionId}: try again when others rest`,
        )

  /** The session was taken from us: it stands in no line any more. */
  function leaveQueue(running: RunningSession): void {
    for (const [left, whose] of queued) if (whose === running) left.abort()
  }

  /** Takes a place for a process ahead of a message. False when there is no room, or when it is being used anyway. */
  async function wake(running: RunningSession): Promise<boolean> {
    if (running.working !== null) return false
    await running.leaving
    if (!(await admission.takeProcess(running.writer.sessionId))) return false
    held.keep(running)
    running.restingSince = performance.now()
    return true
  }

  /** It got too old or too big: the next turn has a fresh one. */
  async function recycleIfWorn(running: RunningSession): Promise<void> {
    const load = running.backend?.session.load()
    if (load === undefined) return
    const isOld = load.turns >= settings.recycleAfterTurns
    const isBig = load.residentBytes !== null && load.residentBytes >= settings.recycleAboveBytes
    if (isOld || isBig) await hibernation.hibernate(running, 'recycled')
  }

  /** Ends whatever process the session has, and one that waits for its first turn. */
  async function end(running: RunningSession): Promise<void> {
    await spares.discard(running.writer.sessionId)
    await processes.close(running)
  }

  /** The agent is in use: the next session of it finds a process ready. */
  function keepSpare(agentName: string): void {
    spares.want(agentName).catch((error: unknown) => logger.warn({ agentName, error }, 'no process is kept ready'))
  }

  const queue = (): Queue => ({
    waiting: [...queuePositions.waiting()],
    processes: { resident: admission.resident(), limit: settings.maxResident, spare: spares.count() },
    turns: { running: admission.running(), limit: settings.maxRunningTurns },
  })

  return {
    starts,
    processes,
    spares,
    queuePositions,
    enterTurn,
    leaveQueue,
    use,
    wake,
    recycleIfWorn,
    end,
    keepSpare,
    queue,
    hibernate: hibernation.hibernate,
    letRest: hibernation.letRest,
    /** Everybody leaves the line: nobody is let in any more, and nothing is kept ready. */
    async stop() {
      isStopped = true
      clearInterval(ticking)
      for (const left of queued.keys()) left.abort()
      await spares.close()
    },
  }
}
