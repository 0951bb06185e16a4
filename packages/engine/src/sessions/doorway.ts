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
import type { AgentBackend } from '../backends/backend.ts'
import type { Bus } from '../bus.ts'
import type { MoneyDesk } from '../money/money-desk.ts'
import type { Clock, EventStore, Ids } from '../store/event-store.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { CallHash } from '../tools/call-hash.ts'
import type { Coordinator } from './coordinator.ts'
import type { LiveSession } from './live-session.ts'
import { seededId } from './seeded-id.ts'
import type { AgentShelf, NewMessage } from './session-service.ts'
import { steerWaiting } from './steer-waiting.ts'

export interface DoorOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly clock: Clock
  readonly money: MoneyDesk
  readonly agents: AgentShelf
  readonly coordinator: Coordinator
  /** The backend an agent's sessions run on. */
  readonly backendOf: (agent: AgentDefinition) => Promise<AgentBackend>
  readonly dataDir: string
  /** What no agent may reach. */
  readonly hiddenPaths: readonly string[]
  readonly hashCall: CallHash
  readonly logger: Logger
}

export interface Doorway extends DoorOptions {
  /** The same seed names the same message. */
  newMessageId(seed?: string): UserMessageId
  newSessionId(seed?: string): SessionId
  /** The session an earlier try with this seed has made. */
  findSeeded(seed: string | undefined): Promise<SessionId | null>
  applied(live: LiveSession, events: readonly SessionEvent[]): Applied
  refuseWhileDraining(): void
  /** Commits a person's message and sees to it that it is taken. */
  queue(live: LiveSession, message: NewMessage, by: string): Promise<Applied & { messageId: UserMessageId }>
}

export function createDoorway(options: DoorOptions): Doorway {
  const { store, ids, coordinator } = options
  // Ids are made here, so their brands are too.
  const newMessageId = (seed?: string) =>
    (seed === undefined ? ids.next('umsg') : seededId('umsg', seed)) as UserMessageId
  const newSessionId = (seed?: string) => (seed === undefined ? ids.next('ses') : seededId('ses', seed)) as SessionId

  const applied = (live: LiveSession, events: readonly SessionEvent[]): Applied => ({
    sessionId: live.writer.sessionId,
    appliedSeq: events.at(-1)?.seq ?? live.writer.state().seq,
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
    async queue(live, { content, seed, delivery = 'queued', images = [] }, by) {
      const messageId = newMessageId(seed)
      const pictures = images.length === 0 ? {} : { images }
      const message = { messageId, content: wholeText(content), delivery, origin: 'user', by, ...pictures } as const
      const events = await live.writer.apply({ type: 'message.send', ...message })
      if (delivery === 'immediate') await steerWaiting(live, options.logger)
      coordinator.kick(live)
      return { ...applied(live, events), messageId }
    },
  }
}

/** A seed as the log keeps it: short, and without the words of the request it was made from. */
export const seedName = (seed: string): string => seededId('ses', seed)
