// What an earlier process left in the middle is told in the log, and goes on where it can: of all sessions at boot, and
// of each one before anybody works with it.
import {
  goOnMessage,
  isBusyStatus,
  isQuarterdeckError,
  type SessionId,
  type SessionState,
  SessionStatus,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { Logger } from '../../ports/logger.ts'
import type { EventStore, Ids } from '../../store/ports/event-store.ts'
import type { AgentRegistry } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'
import type { Coordinator } from './coordinator.ts'

export interface RecoveryOptions {
  readonly store: EventStore
  readonly loadAgent: AgentRegistry['load']
  readonly ids: Ids
  readonly logger: Logger
  /** Ends what a dead process left running: it must not work beside whoever goes on. */
  readonly endOrphans: () => Promise<void>
  /** Books the answers that were cut off. Before their texts are settled: they tell how far they came. */
  readonly bookBegun: (sessionId: SessionId) => Promise<void>
  readonly kick: (running: RunningSession) => void
}

export interface Recovery {
  /** Looks at a session that was just taken: nobody works on it, whatever its log says. */
  note(running: RunningSession): void
  /** Once for each that was left in the middle, however many ask; true when it was cut off. Tried again after a failure. */
  settle(running: RunningSession): Promise<boolean>
}

const byEngine = { origin: 'engine', delivery: 'queued', by: 'quarterdeck' } as const

/** What a session is left in when its process dies in the middle of something, or before it began. */
const unfinishedStatuses = SessionStatus.options.filter((status) => status === 'queued' || isBusyStatus(status))

/** Resolves with how many sessions were cut off. Sessions that another live process holds are left alone. */
export async function recoverSessions(store: EventStore, { expiry, recover }: Coordinator): Promise<number> {
  // Also of sessions that rest, such as paused ones: what they asked lapses in time.
  for (const state of await store.listWaiting()) expiry.watchAll(state)
  const unfinished = await store.listByStatus(unfinishedStatuses)
  let recovered = 0
  for (const { sessionId } of unfinished) {
    try {
      if (await recover(sessionId)) recovered += 1
    } catch (error) {
      if (!isQuarterdeckError(error, 'session.held-elsewhere')) throw error
    }
  }
  return recovered
}

export function createRecovery(options: RecoveryOptions): Recovery {
  const left = new WeakSet<RunningSession>()
  const underWay = new WeakMap<RunningSession, Promise<boolean>>()

  async function settleLeft(running: RunningSession): Promise<boolean> {
    try {
      const wasCutOff = await recoverSession(options, running)
      left.delete(running)
      return wasCutOff
    } finally {
      underWay.delete(running)
    }
  }

  return {
    note(running) {
      if (unfinishedStatuses.includes(running.writer.state().status)) left.add(running)
    },
    settle(running) {
      if (!left.has(running)) return Promise.resolve(false)
      const settling = underWay.get(running) ?? settleLeft(running)
      underWay.set(running, settling)
      return settling
    },
  }
}

async function recoverSession(options: RecoveryOptions, running: RunningSession): Promise<boolean> {
  const { store, ids, logger } = options
  const { sessionId } = running.writer
  const before = running.writer.state()
  if (before.turn !== null) await options.endOrphans()
  await options.bookBegun(sessionId)
  const texts = await store.openTexts(sessionId)
  const openTexts = texts
    .filter(({ data }) => data.kind === 'text')
    .map(({ agent, data }) => ({ agent, messageId: data.messageId, text: data.text }))
  const newMessageId = () => ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
  const events = await running.writer.apply({ type: 'session.recover', openTexts, wakeMessageId: newMessageId() })
  for (const { data } of texts) await store.dropOpenText(sessionId, data.messageId, data.kind)
  const wasCutOff = events.some((event) => event.type === 'AgentSessionRecovered')
  if (wasCutOff) logger.warn({ sessionId, was: before.status, now: running.writer.state().status }, 'session recovered')
  if (wasCutOff && before.turn !== null && (await goesOnByItself(options, running.writer.state()))) {
    const content = goOnMessage.crashed
    const messageId = newMessageId()
    await running.writer.apply({ type: 'message.send', messageId, content, ...byEngine })
  }
  options.kick(running)
  return wasCutOff
}

async function goesOnByItself(
  { loadAgent, logger }: Pick<RecoveryOptions, 'loadAgent' | 'logger'>,
  { sessionId, agentName, status }: SessionState,
): Promise<boolean> {
  if (status !== 'interrupted') return false
  try {
    return (await loadAgent(agentName)).onCrash === 'continue'
  } catch (error) {
    logger.warn({ sessionId, agentName, error }, 'the agent cannot be loaded to go on by itself: the session waits')
    return false
  }
}
