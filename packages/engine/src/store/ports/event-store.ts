// The port of all durable data. The log is the source of truth; the other rows are folds of it, stored for speed.
import type {
  AgentStreamSnapshot,
  AskId,
  EventDraft,
  SessionEvent,
  SessionId,
  SessionState,
  SessionStatus,
} from '@quarterdeck/protocol'
import { z } from 'zod'
import type { AuditStore } from './audit-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MoneyStore } from './money-store.ts'
import type { OutboxStore } from './outbox-store.ts'
import type { LogStore } from './streams.ts'
import type { ToolTrustStore } from './tool-trust-store.ts'

export interface SessionFilter {
  readonly status?: SessionStatus | undefined
  readonly agentName?: string | undefined
  readonly tag?: string | undefined
  readonly owner?: string | undefined
  /** True: only archived sessions. Absent or false: only the others. */
  readonly archived?: boolean | 'all'
  readonly hibernated?: boolean
  /** Part of the title, case-insensitive. */
  readonly text?: string | undefined
}

export interface SessionListPage {
  readonly sessions: readonly SessionState[]
  readonly nextCursor: string | null
}

export interface StoredReply {
  readonly bodyHash: string
  readonly status: number
  readonly body: string
}

/** A process that works on a data folder: a server or a command. `startTime` distinguishes a reused pid. */
export const Holder = z.readonly(
  z.object({
    id: z.string(),
    role: z.enum(['server', 'command']),
    pid: z.int(),
    startTime: z.string(),
    /** The address of a server, for the error message of a refused one. */
    address: z.string().nullable(),
  }),
)
export type Holder = z.infer<typeof Holder>

/** The next part of a text in progress. */
export interface TextPiece {
  readonly sessionId: SessionId
  readonly messageId: string
  readonly kind: 'text' | 'thinking'
  readonly text: string
}

export interface AppendOptions {
  /**
   * The fencing number of the writer's lease. A lower one than that of the session's current lease is refused with
   * `store.conflict`: a holder that lost a session cannot write to it any more.
   */
  readonly fencing?: number
}

export interface EventStore extends LogStore, AuditStore, MoneyStore, OutboxStore, KeyStore, ToolTrustStore {
  /**
   * Appends in one transaction and returns the events as stored. `expectedSeq` is the last `seq` that the writer has
   * seen (0 for a new session): any other is refused with `store.conflict` and nothing is written. The session's state
   * row, its open asks, the ledger rows of `UsageRecorded` events and the audit entries are written in the same
   * transaction, and the open text of a message is dropped with the event that settles it. Resolves only when the
   * events are durable.
   * A log begins with `AgentSessionCreated`: anything else for an unknown session is `session.not-found`. A
   * `UsageRecorded` draft whose `apiMessageId` this session has already booked is left out entirely (no event, no row).
   * So is a `BudgetWarning` of a budget that was deleted or whose warning for this period is in any session. Fewer
   * events than drafts, or none, may be returned. A creation with a seed that created another session is refused with
   * `store.conflict`.
   */
  append(
    sessionId: SessionId,
    expectedSeq: number,
    drafts: readonly EventDraft[],
    options?: AppendOptions,
  ): Promise<readonly SessionEvent[]>
  /** Events with a greater `seq`, in order, at most `limit`. Empty for an unknown session. */
  read(sessionId: SessionId, afterSeq: number, limit: number): Promise<readonly SessionEvent[]>
  /** The state as of the last append, or `null` for an unknown session. */
  load(sessionId: SessionId): Promise<SessionState | null>
  /** Newest first. A cursor from an earlier page continues where that page ended; any other is `cursor.malformed`. */
  list(filter: SessionFilter, page: { limit: number; cursor?: string }): Promise<SessionListPage>
  /** Sessions in one of these states, for recovery at startup. */
  listByStatus(statuses: readonly SessionStatus[]): Promise<readonly SessionState[]>
  /** The number of sessions in each state that occurs. */
  countByStatus(): Promise<ReadonlyMap<SessionStatus, number>>
  /** The session of an approval, a question or a client call, open or settled. */
  findAsk(id: AskId): Promise<SessionId | null>
  /** The session that was created with this seed. */
  findSeed(seed: string): Promise<SessionId | null>
  /** Sessions with an open ask, the one that has waited longest first. */
  listWaiting(): Promise<readonly SessionState[]>

  /** Saves the whole text so far of an open message. One per message and kind (text, thinking), overwritten. */
  saveOpenText(sessionId: SessionId, text: AgentStreamSnapshot): Promise<void>
  /**
   * Appends to texts that were saved as a whole through this store instance and not dropped since, all or nothing.
   * Additions to any other text are ignored.
   */
  addToOpenTexts(pieces: readonly TextPiece[]): Promise<void>
  /** In the order in which they were opened. */
  openTexts(sessionId: SessionId): Promise<readonly AgentStreamSnapshot[]>
  /** For text that no event settles: `append` drops all others itself. */
  dropOpenText(sessionId: SessionId, messageId: string, kind: 'text' | 'thinking'): Promise<void>

  /**
   * Deletes a session: its log, state, texts, asks, seed and lease. Its bookings and audit entries stay, and the chain
   * records who deleted it. False if it does not exist.
   */
  remove(sessionId: SessionId, by: string): Promise<boolean>

  /** The stored reply for an idempotency key of a principal, for 24 h. */
  findReply(principal: string, key: string): Promise<StoredReply | null>
  /** The first reply for a key is kept: a second one has no effect. */
  saveReply(principal: string, key: string, reply: StoredReply): Promise<void>

  /**
   * Announces a holder. A second running server is refused with `store.held` and the address of the first. Dead holders
   * are removed and their sessions released.
   */
  register(holder: Holder, isAlive: (holder: Holder) => boolean): Promise<void>
  /**
   * Takes the lease of a session and returns the fencing number. The current holder gets the same number again. A
   * session of another live holder is refused with `session.held-elsewhere`; that of a dead one is taken over. The
   * number grows with every change of holder and never shrinks. Works for known and for new sessions.
   */
  lease(sessionId: SessionId, holder: Holder, isAlive: (holder: Holder) => boolean): Promise<number>
  /** Releases a session. Does nothing if another holder has it by now. */
  release(sessionId: SessionId, holder: Holder): Promise<void>
  /** The current holder of a session, if any. */
  holderOf(sessionId: SessionId): Promise<Holder | null>
  /** All announced holders, including those that died without leaving. */
  holders(): Promise<readonly Holder[]>
  /** Withdraws the announcement and releases every session of the holder. */
  unregister(holder: Holder): Promise<void>

  /**
   * Writes a little data and waits until it is durable, like an append. Throws `store.unavailable` if the disk is full,
   * read-only or failing, and `store.corrupt` for a damaged database.
   */
  check(): Promise<void>

  /** Idempotent. Nothing else may be called afterwards. */
  close(): Promise<void>
}
