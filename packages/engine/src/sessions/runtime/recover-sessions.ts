// Recovers sessions that a dead process left in the middle of work: all at boot, and each one before it is used.
import {
  continueMessage,
  isQuarterdeckError,
  isUnfinishedStatus,
  type SessionId,
  type SessionState,
  unfinishedStatuses,
} from '@quarterdeck/protocol'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { AskExpiry } from '../asks/ask-expiry.ts'
import type { RunningSession } from '../state/running-session.ts'

export interface RecoveryOptions {
  readonly store: EventStore
  readonly loadAgent: AgentRegistry['load']
  readonly ids: Ids
  readonly logger: Logger
  /** Ends processes that a dead server left running: they must not work beside the new one. */
  readonly endOrphans: () => Promise<void>
  /** Books interrupted answers. Runs before recovery logs their texts, which show how far each answer came. */
  readonly bookBegun: (sessionId: SessionId) => Promise<void>
  readonly kick: (running: RunningSession) => void
}

const byEngine = { origin: 'engine', delivery: 'queued', by: 'quarterdeck' } as const

interface RecoveringSessions {
  readonly expiry: Pick<AskExpiry, 'watchAll'>
  readonly recover: (sessionId: SessionId) => Promise<boolean>
}

/** Resolves with the number of interrupted sessions. Skips sessions that another live process holds. */
export async function recoverSessions(store: EventStore, { expiry, recover }: RecoveringSessions): Promise<number> {
  // Includes resting sessions, such as paused ones, because their asks expire too.
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

export function createRecovery(options: RecoveryOptions) {
  const left = new WeakSet<RunningSession>()
  const underWay = new WeakMap<RunningSession, Promise<boolean>>()

  async function recoverLeft(running: RunningSession): Promise<boolean> {
    try {
      const wasCutOff = await recoverSession(options, running)
      left.delete(running)
      return wasCutOff
    } finally {
      underWay.delete(running)
    }
  }

  return {
    /** Marks a session that was just taken: no turn runs in it, even if its log says so. */
    note(running: RunningSession): void {
      if (isUnfinishedStatus(running.writer.state().status)) left.add(running)
    },
    /**
     * Recovers an interrupted session once for all callers; true if it was interrupted. The next caller retries a
     * failure.
     */
    recover(running: RunningSession): Promise<boolean> {
      if (!left.has(running)) return Promise.resolve(false)
      const recovering = underWay.get(running) ?? recoverLeft(running)
      underWay.set(running, recovering)
      return recovering
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
  const newMessageId = () => ids.next('umsg')
  const events = await running.writer.apply({ type: 'session.recover', openTexts, wakeMessageId: newMessageId() })
  for (const { data } of texts) await store.dropOpenText(sessionId, data.messageId, data.kind)
  const wasCutOff = events.some((event) => event.type === 'AgentSessionRecovered')
  if (wasCutOff) logger.warn({ sessionId, was: before.status, now: running.writer.state().status }, 'session recovered')
  if (wasCutOff && before.turn !== null && (await continuesByItself(options, running.writer.state()))) {
    const messageId = newMessageId()
    await running.writer.apply(
      running.writer.state().unsaved.length === 0
        ? { type: 'message.send', messageId, content: continueMessage.crashed, ...byEngine }
        : { type: 'session.resume', continueMessageId: messageId, by: 'quarterdeck' },
    )
  }
  options.kick(running)
  return wasCutOff
}

async function continuesByItself(
  { loadAgent, logger }: Pick<RecoveryOptions, 'loadAgent' | 'logger'>,
  { sessionId, agentName, status }: SessionState,
): Promise<boolean> {
  if (status !== 'interrupted') return false
  try {
    return (await loadAgent(agentName)).onCrash === 'continue'
  } catch (error) {
    logger.warn({ sessionId, agentName, error }, 'the agent file cannot be loaded to continue: the session waits')
    return false
  }
}
