// Manages agent processes: which sessions have one, which wait for one, and when a process ends.
import { freemem } from 'node:os'
import { QuarterdeckError, type Queue, type SessionId } from '@quarterdeck/protocol'
import type { AgentSession } from '../backends/backend.ts'
import type { Bus } from '../ports/bus.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import { createAdmissionQueue } from './admission-queue.ts'
import type { OpenBackend } from './agent-process.ts'
import { createHibernation } from './hibernation.ts'
import { bytesPerProcess, type ProcessSettings } from './process-settings.ts'
import { createQueuePositionPublisher } from './queue-position-publisher.ts'
import type { RetainedSessions, SessionWithProcess } from './session-with-process.ts'
import { createSpares, type SparesOptions } from './spares.ts'
import { createStartQueue } from './start-queue.ts'
import type { TurnSlot } from './turn-slot.ts'
import { createTurnWatch } from './turn-watch.ts'

export interface ProcessManagerOptions<Session extends SessionWithProcess>
  extends Pick<SparesOptions<Session>, 'loadAgent' | 'openSpare'> {
  readonly settings: ProcessSettings
  readonly held: RetainedSessions<Session>
  readonly bus: Bus
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  /** Opens the process of a session that has a slot, and starts it unless the signal aborts. */
  readonly openStarted: (running: Session, signal: AbortSignal) => Promise<OpenBackend>
  /** Ends the process of a session and frees its slot. */
  readonly closeProcess: (running: Session) => Promise<void>
  /** In bytes. The machine's by default. */
  readonly freeMemory?: (() => number) | undefined
}

/** The interval of the checks for resting, waiting and stuck sessions. */
function tickMs({ hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs }: ProcessSettings): number {
  return Math.min(
    5000,
    Math.max(20, Math.min(hibernateAfterMs, hibernateWaitingAfterMs, stuckAfterMs, spareIdleMs) / 4),
  )
}

export function createProcessManager<Session extends SessionWithProcess>(options: ProcessManagerOptions<Session>) {
  const { settings, held, bus, logger, freeMemory = freemem } = options
  const queuePositions = createQueuePositionPublisher(options)
  const starts = createStartQueue(settings.maxStarting)
  const admission = createAdmissionQueue({
    ...settings,
    queuePositions,
    hasMemory: () => freeMemory() >= settings.memoryFloorBytes,
    evict: (mayGo) => evict(mayGo),
  })
  const spares = createSpares({
    ...options,
    admission,
    starts,
    newSessionId: () => options.ids.next('ses'),
    hasMemory: () => freeMemory() - bytesPerProcess >= settings.memoryFloorBytes,
  })
  const freeUnusedSlot = (sessionId: SessionId) => {
    // A claimed spare belongs to a session that has not used it yet.
    if (!spares.has(sessionId)) admission.freeUnusedSlot(sessionId)
  }
  const { isQueued } = admission
  const hibernation = createHibernation({ ...options, isQueued, freeUnusedSlot })
  const everyMs = tickMs(settings)
  const watch = createTurnWatch({ everyMs, stuckAfterMs: settings.stuckAfterMs })
  const queued = new Map<AbortController, Session>()
  let isStopped = false

  const evict = (mayGo: (sessionId: SessionId) => boolean) => spares.evict(mayGo) ?? hibernation.evict(mayGo)

  const ticking = setInterval(() => {
    watch.check(held.retained())
    hibernation.sweep()
    if (freeMemory() < settings.memoryFloorBytes) evict(() => true)
    admission.review()
    spares.sweep().catch((error: unknown) => logger.error({ error }, 'the spare processes could not be checked'))
  }, everyMs)
  ticking.unref()

  const aboutOf = (running: Session) => () => {
    const { agentName, title } = running.writer.state()
    return { agentName, title }
  }

  /** The current limit of the agent file. An unreadable file sets no limit: the turn reports the problem. */
  async function agentLimitOf({ writer }: Session): Promise<number | null> {
    const agent = await options.loadAgent(writer.state().agentName).catch(() => null)
    return agent?.maxConcurrentSessions ?? null
  }

  /** Queues for as long as the session wants a turn; `null` when it no longer does. */
  async function enterTurn(running: Session, isWanted: () => boolean): Promise<TurnSlot | null> {
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

  /** Lends the process outside of a turn. The caller queues like a turn, for at most `lendTimeoutMs`. */
  async function use<Result>(running: Session, work: (session: AgentSession) => Promise<Result>): Promise<Result> {
    const { process, writer } = running
    const release = process.retain()
    held.keep(running)
    try {
      const backend = await lend(running)
      return await work(backend.session)
    } finally {
      release()
      const { type } = process.phase()
      if (process.isUnused() && type !== 'open' && type !== 'opening') freeUnusedSlot(writer.sessionId)
      hibernation.releaseIfResting(running)
    }
  }

  async function lend(running: Session): Promise<OpenBackend> {
    const { sessionId } = running.writer
    const left = new AbortController()
    const { signal } = left
    const timer = setTimeout(() => left.abort(), settings.lendTimeoutMs)
    queued.set(left, running)
    try {
      if (isStopped || !(await admission.enterProcess({ sessionId, about: aboutOf(running) }, signal)))
        throw refusal(running)
      const backend = await options.openStarted(running, signal)
      if (isStopped || !running.process.isStarted()) throw refusal(running)
      return backend
    } finally {
      clearTimeout(timer)
      queued.delete(left)
    }
  }

  const refusal = (running: Session): QuarterdeckError =>
    isStopped
      ? new QuarterdeckError('server.draining', 'the server is shutting down: try again')
      : new QuarterdeckError(
          'session.busy',
          `no process is free for session ${running.writer.sessionId}: try again when another session is idle`,
        )

  /** Called when another process has taken the session. */
  function leaveQueue(running: Session): void {
    for (const [left, whose] of queued) if (whose === running) left.abort()
  }

  /** Takes a process slot ahead of a message. False if there is no capacity, or if the session is working anyway. */
  async function wake(running: Session): Promise<boolean> {
    if (!running.phase.isResting()) return false
    const closing = running.process.phase()
    if (closing.type === 'closing') await closing.closed
    if (!(await admission.takeProcess(running.writer.sessionId))) return false
    held.keep(running)
    running.process.touch()
    return true
  }

  /** Ends a process that is too old or too big. The next turn starts a new one. */
  async function recycleIfWorn(running: Session): Promise<void> {
    const load = running.process.backend()?.session.load()
    if (load === undefined) return
    const isOld = load.turns >= settings.recycleAfterTurns
    const isBig = load.residentBytes !== null && load.residentBytes >= settings.recycleAboveBytes
    if (isOld || isBig) await hibernation.hibernate(running, 'recycled')
  }

  /** Ends the session's process, or the spare that it has claimed. */
  async function end(running: Session): Promise<void> {
    await spares.discard(running.writer.sessionId)
    await options.closeProcess(running)
  }

  /** Keeps a spare ready for the next session of an agent in use. */
  function keepSpare(agentName: string): void {
    spares.ensure(agentName).catch((error: unknown) => logger.warn({ agentName, error }, 'no spare process is ready'))
  }

  const queue = (): Queue => ({
    waiting: [...queuePositions.waiting()],
    processes: { resident: admission.resident(), limit: settings.maxResident, spare: spares.count() },
    turns: { running: admission.running(), limit: settings.maxRunningTurns },
  })

  return {
    admission,
    starts,
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
    releaseIfResting: hibernation.releaseIfResting,
    /** Empties the queue, admits no more sessions, and ends the spares. */
    async stop() {
      isStopped = true
      clearInterval(ticking)
      for (const left of queued.keys()) left.abort()
      await spares.close()
    },
  }
}
