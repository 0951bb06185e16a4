// The port of everything durable. The log is the truth; the rows beside it are folds kept for speed.
import type {
  AgentStreamSnapshot,
  ApprovalId,
  EventDraft,
  SessionEvent,
  SessionId,
  SessionState,
  SessionStatus,
  TokenCounts,
} from '@quarterdeck/protocol'

export interface SessionFilter {
  readonly status?: SessionStatus
  readonly agentName?: string
  readonly tag?: string
}

export interface SessionListPage {
  readonly sessions: readonly SessionState[]
  readonly nextCursor: string | null
}

/** One model request. `apiMessageId` is unique per session: a second booking of it changes nothing. */
export interface LedgerRow {
  readonly sessionId: SessionId
  readonly requestId: string
  readonly apiMessageId: string
  readonly model: string
  readonly servedModel: string
  readonly tokens: TokenCounts
  readonly costUsd: number | null
  readonly source: 'gateway' | 'backend'
  readonly at: string
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

export interface EventStore {
  /**
   * Appends in one transaction and returns the events as the log holds them. `expectedSeq` is the last `seq` the writer
   * has seen (0 for a new session): any other is refused with `store.conflict` and nothing is written. The session's
   * state row, its open approvals and the ledger rows of `UsageRecorded` events are written in the same transaction,
   * and the open text of a message is dropped with the event that settles it. Resolves only when the events are durable.
   *
   * A log begins with `AgentSessionCreated`: anything else for an unknown session is `session.not-found`. A
   * `UsageRecorded` draft whose `apiMessageId` this session has booked before is left out entirely (no event, no row),
   * so fewer events than drafts can come back, even none.
   */
  append(sessionId: SessionId, expectedSeq: number, drafts: readonly EventDraft[]): Promise<readonly SessionEvent[]>
  /** Events with a greater `seq`, in order, at most `limit`. An unknown session has none. */
  read(sessionId: SessionId, afterSeq: number, limit: number): Promise<readonly SessionEvent[]>
  /** The state as of the last append, or `null` for an unknown session. */
  load(sessionId: SessionId): Promise<SessionState | null>
  /** Newest first. A cursor from an earlier page goes on where that page ended; any other is `cursor.malformed`. */
  list(filter: SessionFilter, page: { limit: number; cursor?: string }): Promise<SessionListPage>
  /** Sessions in one of these states, for recovery at boot. */
  listByStatus(statuses: readonly SessionStatus[]): Promise<readonly SessionState[]>
  /** The session an approval belongs to, open or decided. */
  findApproval(approvalId: ApprovalId): Promise<SessionId | null>
  /** Sessions that have an open approval, oldest request first. */
  listWaiting(): Promise<readonly SessionState[]>

  /** The text so far of an open message: one row per message and kind (text, thinking), overwritten. */
  saveOpenText(sessionId: SessionId, text: AgentStreamSnapshot): Promise<void>
  /** In the order they were opened. */
  openTexts(sessionId: SessionId): Promise<readonly AgentStreamSnapshot[]>
  /** For text that no event settles: `append` drops the rest itself. */
  dropOpenText(sessionId: SessionId, messageId: string, kind: 'text' | 'thinking'): Promise<void>

  /** In the order they were booked. */
  ledger(sessionId: SessionId): Promise<readonly LedgerRow[]>

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
  next(prefix: 'ses' | 'evt' | 'trn' | 'umsg' | 'apr'): string
}
