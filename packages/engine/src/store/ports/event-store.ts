// The port of everything durable. The log is the truth; the rows beside it are folds kept for speed.
import type {
  AgentStreamSnapshot,
  ApprovalId,
  ClientCallId,
  EventDraft,
  QuestionId,
  SessionEvent,
  SessionId,
  SessionState,
  SessionStatus,
} from '@quarterdeck/protocol'
import type { AuditStore } from './audit-store.ts'
import type { KeyStore } from './key-store.ts'
import type { MoneyStore } from './money-store.ts'
import type { OutboxStore } from './outbox-store.ts'
import type { ToolTrustStore } from './tool-trust-store.ts'

export interface SessionFilter {
  readonly status?: SessionStatus
  readonly agentName?: string
  readonly tag?: string
  readonly owner?: string
  /** True: only archived sessions. Absent or false: only the others. */
  readonly archived?: boolean | 'all'
  readonly hibernated?: boolean
  /** Part of the title, in small or capital letters. */
  readonly text?: string
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

/** Who works on a data folder: a server or a command. `startTime` tells a reused pid from the old process. */
export interface Holder {
  readonly id: string
  readonly role: 'server' | 'command'
  readonly pid: number
  readonly startTime: string
  /** Where a server answers, for the message to whoever is refused. */
  readonly address: string | null
}

/** Whatever somebody is waited for: an approval, a question, a call of a client's tool. */
export type AskId = ApprovalId | QuestionId | ClientCallId

/** The next piece of a text in progress. */
export interface TextPiece {
  readonly sessionId: SessionId
  readonly messageId: string
  readonly kind: 'text' | 'thinking'
  readonly text: string
}

export interface AppendOptions {
  /**
   * The number the writer's lease gave it. One lower than the session's lease has now is refused with `store.conflict`:
   * whoever lost a session cannot write to it any more.
   */
  readonly fencing?: number
}

export interface EventStore extends AuditStore, MoneyStore, OutboxStore, KeyStore, ToolTrustStore {
  /**
   * Appends in one transaction and returns the events as the log holds them. `expectedSeq` is the last `seq` the writer
   * has seen (0 for a new session): any other is refused with `store.conflict` and nothing is written. The session's
   * state row, its open asks, the ledger rows of `UsageRecorded` events and the audit entries are written in the same
   * transaction, and the open text of a message is dropped with the event that settles it. Resolves only when the events
   * are durable.
   *
   * A log begins with `AgentSessionCreated`: anything else for an unknown session is `session.not-found`. A
   * `UsageRecorded` draft whose `apiMessageId` this session has booked before is left out entirely (no event, no row),
   * and so is a `BudgetWarning` of a budget that is gone or whose warning for this period any session has: fewer events
   * than drafts can come back, even none. A creation with a seed that made another session is refused with
   * `store.conflict`.
   */
  append(
    sessionId: SessionId,
    expectedSeq: number,
    drafts: readonly EventDraft[],
    options?: AppendOptions,
  ): Promise<readonly SessionEvent[]>
  /** Events with a greater `seq`, in order, at most `limit`. An unknown session has none. */
  read(sessionId: SessionId, afterSeq: number, limit: number): Promise<readonly SessionEvent[]>
  /** The state as of the last append, or `null` for an unknown session. */
  load(sessionId: SessionId): Promise<SessionState | null>
  /** Newest first. A cursor from an earlier page goes on where that page ended; any other is `cursor.malformed`. */
  list(filter: SessionFilter, page: { limit: number; cursor?: string }): Promise<SessionListPage>
  /** Sessions in one of these states, for recovery at boot. */
  listByStatus(statuses: readonly SessionStatus[]): Promise<readonly SessionState[]>
  /** How many sessions there are in each state that any is in. */
  countByStatus(): Promise<ReadonlyMap<SessionStatus, number>>
  /** The session an approval, a question or a client's call belongs to, open or settled. */
  findAsk(id: AskId): Promise<SessionId | null>
  /** The session that was created with this seed. */
  findSeed(seed: string): Promise<SessionId | null>
  /** Sessions that wait for somebody, the one that has waited longest first. */
  listWaiting(): Promise<readonly SessionState[]>

  /** The whole text so far of an open message: one for each message and kind (text, thinking), overwritten. */
  saveOpenText(sessionId: SessionId, text: AgentStreamSnapshot): Promise<void>
  /**
   * Adds to the ends of texts that were saved whole through this very store and have not been dropped since; all of it
   * or nothing. What is added to any other text is forgotten.
   */
  addToOpenTexts(pieces: readonly TextPiece[]): Promise<void>
  /** In the order they were opened. */
  openTexts(sessionId: SessionId): Promise<readonly AgentStreamSnapshot[]>
  /** For text that no event settles: `append` drops the rest itself. */
  dropOpenText(sessionId: SessionId, messageId: string, kind: 'text' | 'thinking'): Promise<void>

  /**
   * Deletes a session: its log, state, texts, asks, seed and lease. Its bookings and its audit entries stay, and the
   * chain tells who deleted it. False if there is none.
   */
  remove(sessionId: SessionId, by: string): Promise<boolean>

  /** The reply kept for an idempotency key of a principal, if it is not older than 24 h. */
  findReply(principal: string, key: string): Promise<StoredReply | null>
  /** The first reply to a key stands for as long as it is kept: a second one changes nothing. */
  saveReply(principal: string, key: string, reply: StoredReply): Promise<void>

  /**
   * Announces who works here. A second live server is refused with `store.held` and its address. Holders that are no
   * longer alive are forgotten, and their sessions are free.
   */
  register(holder: Holder, isAlive: (holder: Holder) => boolean): Promise<void>
  /**
   * Takes a session for a holder and returns the fencing number. The holder who has it gets the same number again; one
   * held by another live holder is refused with `session.held-elsewhere`; from a dead one it is taken over. The number
   * grows with every change of hands and never shrinks. Known sessions and new ones alike.
   */
  lease(sessionId: SessionId, holder: Holder, isAlive: (holder: Holder) => boolean): Promise<number>
  /** Gives a session back. Nothing happens if somebody else has it by now. */
  release(sessionId: SessionId, holder: Holder): Promise<void>
  /** Who holds a session now, if anybody. */
  holderOf(sessionId: SessionId): Promise<Holder | null>
  /** Everybody who announced themselves, also those who died without a word. */
  holders(): Promise<readonly Holder[]>
  /** Takes the announcement back, and releases every session the holder has. */
  unregister(holder: Holder): Promise<void>

  /**
   * Writes a little and waits until it is durable, as an append would: throws `store.unavailable` while the disk is full,
   * read-only or broken, and `store.corrupt` for a damaged database.
   */
  check(): Promise<void>

  /** A second call does nothing. Nothing else may be called after it. */
  close(): Promise<void>
}

/** Given in, so that tests can hold time still and name ids. */
export interface Clock {
  now(): Date
}

export interface Ids {
  next(prefix: 'ses' | 'evt' | 'trn' | 'umsg' | 'apr' | 'qst' | 'ctc' | 'bud' | 'key' | 'dlv'): string
}
