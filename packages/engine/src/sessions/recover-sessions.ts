// At boot: what an earlier process left in the middle is told in the log, and goes on where it can.
import {
  goOnMessage,
  isBusyStatus,
  isQuarterdeckError,
  type SessionId,
  type SessionState,
  SessionStatus,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { EventStore, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Coordinator } from './coordinator.ts'
import type { AgentShelf } from './session-service.ts'

export interface Recovery {
  readonly store: EventStore
  readonly coordinator: Coordinator
  readonly agents: AgentShelf
  readonly ids: Ids
  readonly logger: Logger
}

const byEngine = { origin: 'engine', delivery: 'queued', by: 'quarterdeck' } as const

/** What a session is left in when its process dies in the middle of something, or before it began. */
const unfinishedStatuses = SessionStatus.options.filter((status) => status === 'queued' || isBusyStatus(status))

/** Resolves with how many sessions were cut off. Sessions that another live process holds are left alone. */
export async function recoverSessions(recovery: Recovery): Promise<number> {
  // Also of sessions that rest, such as paused ones: what they asked lapses in time.
  for (const state of await recovery.store.listWaiting()) recovery.coordinator.expiry.watchAll(state)
  const unfinished = await recovery.store.listByStatus(unfinishedStatuses)
  let recovered = 0
  for (const { sessionId } of unfinished) {
    try {
      if (await recoverSession(recovery, sessionId)) recovered += 1
    } catch (error) {
      if (!isQuarterdeckError(error, 'session.held-elsewhere')) throw error
    }
  }
  return recovered
}

/** True when the session was cut off in the middle of something. */
export async function recoverSession(
  { store, coordinator, agents, ids, logger }: Recovery,
  sessionId: SessionId,
): Promise<boolean> {
  const live = await coordinator.open(sessionId)
  const before = live.writer.state()
  const texts = await store.openTexts(sessionId)
  const openTexts = texts
    .filter(({ data }) => data.kind === 'text')
    .map(({ agent, data }) => ({ agent, messageId: data.messageId, text: data.text }))
  const newMessageId = () => ids.next('umsg') as UserMessageId // ids are made here, so the brand is too
  const events = await live.writer.apply({ type: 'session.recover', openTexts, wakeMessageId: newMessageId() })
  for (const { data } of texts) await store.dropOpenText(sessionId, data.messageId, data.kind)
  const wasCutOff = events.some((event) => event.type === 'AgentSessionRecovered')
  if (wasCutOff) logger.warn({ sessionId, was: before.status, now: live.writer.state().status }, 'session recovered')
  if (wasCutOff && before.turn !== null && (await goesOnByItself({ agents, logger }, live.writer.state()))) {
    const content = goOnMessage.crashed
    const messageId = newMessageId()
    await live.writer.apply({ type: 'message.send', messageId, content, ...byEngine })
  }
  coordinator.kick(live)
  return wasCutOff
}

async function goesOnByItself(
  { agents, logger }: Pick<Recovery, 'agents' | 'logger'>,
  { sessionId, agentName, status }: SessionState,
): Promise<boolean> {
  if (status !== 'interrupted') return false
  try {
    return (await agents.load(agentName)).onCrash === 'continue'
  } catch (error) {
    logger.warn({ sessionId, agentName, error }, 'the agent cannot be loaded to go on by itself: the session waits')
    return false
  }
}
