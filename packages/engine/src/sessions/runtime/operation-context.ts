// What every door needs: ids, the reply, and the refusal while the server goes.

import type { AgentDefinition } from '@quarterdeck/protocol'
import {
  type Applied,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type UserMessageId,
  wholeText,
} from '@quarterdeck/protocol'
import type { AgentBackend } from '../../backends/backend.ts'
import type { SessionSpending } from '../../money/session-spending.ts'
import type { CallHash } from '../../permissions/calls/call-hash.ts'
import type { Bus } from '../../ports/bus.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Clock, EventStore, Ids } from '../../store/ports/event-store.ts'
import type { AgentRegistry, NewMessage } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'
import { steerWaiting } from '../turns/steer-waiting.ts'
import type { Coordinator } from './coordinator.ts'
import { seededId } from './seeded-id.ts'

export interface OperationContextOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly money: SessionSpending
  readonly agents: AgentRegistry
  readonly coordinator: Coordinator
  /** The backend an agent's sessions run on. */
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly dataDir: string
  /** What no agent may reach. */
  readonly hiddenPaths: readonly string[]
  readonly hashCall: CallHash
  readonly logger: Logger
}

export interface OperationContext extends OperationContextOptions {
  /** The same seed names the same message. */
  newMessageId(seed?: string): UserMessageId
  newSessionId(seed?: string): SessionId
  /** The session an earlier try with this seed has made. */
  findSeeded(seed: string | undefined): Promise<SessionId | null>
  applied(running: RunningSession, events: readonly SessionEvent[]): Applied
  refuseWhileDraining(): void
  /** Commits a person's message and sees to it that it is taken. */
  queue(running: RunningSession, message: NewMessage, by: string): Promise<Applied & { messageId: UserMessageId }>
}

export function createOperationContext(options: OperationContextOptions): OperationContext {
  const { store, ids, coordinator } = options
  // Ids are made here, so their brands are too.
  const newMessageId = (seed?: string) =>
    (seed === undefined ? ids.next('umsg') : seededId('umsg', seed)) as UserMessageId
  const newSessionId = (seed?: string) => (seed === undefined ? ids.next('ses') : seededId('ses', seed)) as SessionId

  const applied = (running: RunningSession, events: readonly SessionEvent[]): Applied => ({
    sessionId: running.writer.sessionId,
    appliedSeq: events.at(-1)?.seq ?? running.writer.state().seq,
  })

  return {
    ...options,
    newMessageId,
    newSessionId,
    findSeeded: async (seed) => (seed === undefined ? null : store.findSeed(seedName(seed))),
    applied,
    refuseWhileDraining() {
      if (!coordinator.isDraining()) return
      throw new QuarterdeckError('server.draining', 'the server is shutting down: try again')
    },
    async queue(running, { content, seed, delivery = 'queued', images = [] }, by) {
      const messageId = newMessageId(seed)
      const pictures = images.length === 0 ? {} : { images }
      const message = { messageId, content: wholeText(content), delivery, origin: 'user', by, ...pictures } as const
      const events = await running.writer.apply({ type: 'message.send', ...message })
      if (delivery === 'immediate') await steerWaiting(running, options.logger)
      coordinator.kick(running)
      return { ...applied(running, events), messageId }
    },
  }
}

/** A seed as the log keeps it: short, and without the words of the request it was made from. */
export const seedName = (seed: string): string => seededId('ses', seed)
