// The log holds streams of several kinds: sessions, and other objects whose changes are events. One position counts the
// events of all streams. Work items will be the first other kind, and push feeds the first readers of all streams.
import type { ZodType } from 'zod'

export const sessionKind = 'session'

/** Every kind that this version writes. The verification of the log reports events of other kinds. */
export const knownKinds: readonly string[] = [sessionKind]

export interface StreamKey {
  readonly kind: string
  readonly id: string
}

export interface StreamDraft {
  readonly type: string
  readonly data: object
}

/** The fields that the events of every kind have. */
export type StreamEvent<Draft extends StreamDraft = StreamDraft> = Draft & {
  readonly seq: number
  readonly id: string
  readonly at: string
  readonly v: number
}

/** Defines a kind of stream besides sessions. */
export interface StreamKind<State, Draft extends StreamDraft> {
  /** Stored with each event, so it must not change. */
  readonly name: string
  /** Checks drafts before they are written. */
  readonly draft: ZodType<Draft>
  /**
   * Throws for an event that cannot come next: the append is then refused. `null` is the state before the first. Must not
   * change `state`, because the store keeps recent ones.
   */
  fold(state: State | null, event: StreamEvent<Draft>): State
}

/** The streams of one kind. */
export interface Streams<State, Draft extends StreamDraft> {
  /**
   * Appends in one transaction and returns the events as stored. `expectedSeq` is the last `seq` that the writer has seen
   * (0 for a new stream): any other is refused with `store.conflict` and nothing is written. A draft that the schema
   * does not accept is refused with `request.invalid`. Only `type` and `data` of a draft are stored, `data` as JSON.
   * Resolves only when the events are durable.
   */
  append(id: string, expectedSeq: number, drafts: readonly Draft[]): Promise<readonly StreamEvent<Draft>[]>
  /** Events with a greater `seq`, in order, at most `limit`. Empty for an unknown stream. */
  read(id: string, afterSeq: number, limit: number): Promise<readonly StreamEvent<Draft>[]>
  /** The fold of the whole stream, or `null` for an unknown one. */
  load(id: string): Promise<{ readonly seq: number; readonly state: State } | null>
}

export interface LoggedEvent {
  readonly position: number
  readonly stream: StreamKey
  /** A `SessionEvent` if the stream is a session. */
  readonly event: StreamEvent
}

export interface LogQuery {
  /** The position after which to read; 0 for the whole log. */
  readonly after: number
  readonly limit: number
  /** All kinds by default. */
  readonly kinds?: readonly string[]
}

export interface LogPage {
  readonly events: readonly LoggedEvent[]
  /** Continue after this position. Events of other kinds may lie between the last event and this position. */
  readonly next: number
}

/**
 * The log of all streams. Events become visible in the order of their positions: once a reader has seen a position, no
 * event with a lower one appears, whichever process writes it. Positions are never reused: deleted sessions and refused
 * appends leave gaps.
 */
export interface LogStore {
  /** Keep the result: it caches recent states, so that an append reads only the events after them. */
  streams<State, Draft extends StreamDraft>(kind: StreamKind<State, Draft>): Streams<State, Draft>
  /** Throws `cursor.beyond-log` for a position that the log has not reached, for example after a restored backup. */
  readAll(query: LogQuery): Promise<LogPage>
  /** The position of the last event that was written, deleted or not. */
  lastPosition(): Promise<number>
  /**
   * Calls the listener after each append through this store instance, once the events are durable. Appends of other
   * processes are not reported. Returns the unsubscribe function. Listeners must not throw.
   */
  onAppended(listener: () => void): () => void
}
