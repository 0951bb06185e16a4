// Shared by all operations: ids, the reply, and the refusal while the server shuts down.
import { createHash } from 'node:crypto'
import {
  type Applied,
  type AskId,
  type Command,
  type InputImage,
  type MessageDelivery,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { BackendPool } from '../../backends/backend-pool.ts'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { CallHash } from '../../permissions/calls/call-hash.ts'
import type { AgentRegistry } from '../../ports/agent-registry.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Ids, makeId } from '../../ports/ids.ts'
import type { Logger } from '../../ports/logger.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import { answerAsk } from '../asks/answer-ask.ts'
import type { AnswerTo } from '../rules/ask-kinds/ask-strategy.ts'
import { unknownAsk } from '../rules/decide-ask.ts'
import type { RunningSession } from '../state/running-session.ts'
import { steerWaiting } from '../turns/steer-waiting.ts'
import type { Coordinator } from './coordinator.ts'

export interface OperationContextOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly money: SessionSpending
  readonly agents: AgentRegistry
  readonly coordinator: Coordinator
  /** The backend of an agent's sessions. */
  readonly backendOf: BackendPool['get']
  readonly dataDir: string
  /** Paths that no agent may reach. */
  readonly hiddenPaths: readonly string[]
  readonly hashCall: CallHash
  readonly logger: Logger
}

export interface NewMessage {
  readonly content: string
  readonly delivery?: MessageDelivery | undefined
  readonly images?: readonly InputImage[] | undefined
  /** Determines the message's id. A message with the same seed is not queued twice. */
  readonly seed?: string | undefined
}

interface Written {
  readonly running: RunningSession
  readonly events: readonly SessionEvent[]
}

export type OperationContext = ReturnType<typeof createOperationContext>

export function createOperationContext(options: OperationContextOptions) {
  const { store, ids, coordinator } = options
  /** The same seed names the same message. */
  const newMessageId = (seed?: string): UserMessageId =>
    seed === undefined ? ids.next('umsg') : seededId('umsg', seed)

  const applied = (running: RunningSession, events: readonly SessionEvent[]): Applied => ({
    sessionId: running.writer.sessionId,
    appliedSeq: events.at(-1)?.seq ?? running.writer.state().seq,
  })

  return {
    ...options,
    newMessageId,
    newSessionId: (seed?: string): SessionId => (seed === undefined ? ids.next('ses') : seededId('ses', seed)),
    /** The session of an earlier attempt with this seed. */
    findSeeded: async (seed: string | undefined): Promise<SessionId | null> =>
      seed === undefined ? null : store.findSeed(seedName(seed)),
    applied,
    /** Opens the session and applies one command to it. */
    async apply(sessionId: SessionId, command: Command): Promise<Written> {
      const running = await coordinator.open(sessionId)
      return { running, events: await running.writer.apply(command) }
    },
    /** Opens the session of the ask and answers it. `answerIn` may refuse the answer. */
    async answer<Id extends AskId>(
      id: Id,
      by: string,
      answerIn: (running: RunningSession) => AnswerTo<Id> | Promise<AnswerTo<Id>>,
    ): Promise<Written> {
      const sessionId = await store.findAsk(id)
      if (sessionId === null) throw unknownAsk(id)
      const running = await coordinator.open(sessionId)
      const answer = await answerIn(running)
      return { running, events: await answerAsk(running, { id, answer, by, wakeMessageId: newMessageId() }) }
    },
    refuseWhileDraining(): void {
      if (!coordinator.isDraining()) return
      throw new QuarterdeckError('server.draining', 'the server is shutting down: try again')
    },
    /** Commits a person's message and starts the turn loop. */
    async queue(running: RunningSession, given: NewMessage, by: string) {
      const { content, seed, delivery = 'queued', images = [] } = given
      const messageId = newMessageId(seed)
      const withImages = images.length === 0 ? {} : { images }
      const message = {
        messageId,
        content: content.toWellFormed(),
        delivery,
        origin: 'user',
        by,
        ...withImages,
      } as const
      const events = await running.writer.apply({ type: 'message.send', ...message })
      if (delivery === 'immediate') await steerWaiting(running, options.logger)
      coordinator.kick(running)
      return { reply: applied(running, events), messageId }
    },
  }
}

/** The same seed always makes the same id. */
const seededId = <Prefix extends 'ses' | 'umsg'>(prefix: Prefix, seed: string) =>
  makeId(prefix, createHash('sha256').update(`${prefix} ${seed}`).digest('hex').slice(0, 32))

/** The seed as stored: short, and without any text of the request it was made from. */
export const seedName = (seed: string): string => seededId('ses', seed)
