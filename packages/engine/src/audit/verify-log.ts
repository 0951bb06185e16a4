// Checks that the log of all streams is complete and in order. verify-audit.ts compares the content of single events.
import type { SessionId } from '@quarterdeck/protocol'
import { yieldToEventLoop } from '../async/yield-to-event-loop.ts'

/** An event's stream, its number there, and its position among the events of all streams. */
export interface EventPlace {
  readonly kind: string
  readonly streamId: string
  readonly seq: number
  readonly position: number
}

/** The number of the last event in the session's row; `null` when there is no row. */
export type StreamPlace = EventPlace & { readonly sessionSeq: number | null }

export interface LogEnd {
  /** The position of the last event in the log; 0 for an empty log. */
  readonly last: number
  /** The position before the last deletion; `null` if its record is gone. */
  readonly floor: number | null
  /** The last position that the database assigned; `null` if this database does not tell. */
  readonly assigned: number | null
}

/** The data needed for the verification of the log; every store provides it. */
export interface LogSource {
  logEnd(): Promise<LogEnd>
  /** The places after this one, ordered by stream, kind and number. */
  readStreams(after: EventPlace | null, limit: number): Promise<readonly StreamPlace[]>
  /** The kinds of streams that this version knows. */
  readonly knownKinds: readonly string[]
  /** Events of sessions whose type always has an entry, by position: after the first, up to and with the second. */
  readAudited(after: number, upTo: number, limit: number): Promise<readonly (EventPlace & { readonly type: string })[]>
  /** The entries that added sessions of an earlier version to the chain. */
  adoptions(): Promise<ReadonlyMap<string, number>>
  /** A session that has a row but no first event; `null` if there is none. */
  sessionWithoutEvents(): Promise<SessionId | null>
}

export interface LogProblem {
  readonly problem: 'event-removed' | 'event-added' | 'event-moved' | 'log-altered'
  readonly detail: string
  readonly streamId: string | null
  /** The entry that covers the event; absent for other problems. */
  readonly entry?: number
}

const pageSize = 1000

function found(problem: LogProblem['problem'], streamId: string | null, detail: string): LogProblem {
  return { problem, detail, streamId }
}

const named = ({ kind, streamId, seq }: EventPlace): string => `event ${seq} of ${kind} ${streamId}`

/** Positions are never assigned twice, and readers continue after the last one they have seen. */
export function problemOfEnd({ last, floor, assigned }: LogEnd): LogProblem | null {
  if (floor === null) return found('log-altered', null, 'the record of the last deletion (log_floor) was removed')
  const reached = Math.max(last, floor)
  if (assigned === null || assigned >= reached) return null
  const detail = `the log has reached position ${reached}, but the database has assigned positions only up to ${assigned}`
  return found('log-altered', null, detail)
}

/** Yields the first problem of each stream: its events count from 1, and their positions increase. */
export async function* problemsOfStreams(source: LogSource): AsyncGenerator<LogProblem> {
  let previous: StreamPlace | null = null
  let reported: string | null = null
  for (;;) {
    const page: readonly StreamPlace[] = await source.readStreams(previous, pageSize)
    for (const place of page) {
      const isSame = previous !== null && previous.streamId === place.streamId && previous.kind === place.kind
      const problem: LogProblem | null =
        (isSame ? null : problemOfLast(previous)) ?? problemOfPlace(place, isSame ? previous : null, source.knownKinds)
      previous = place
      if (problem === null || problem.streamId === reported) continue
      reported = problem.streamId
      yield problem
    }
    if (page.length < pageSize) break
    await yieldToEventLoop()
  }
  const atEnd = problemOfLast(previous)
  if (atEnd !== null && atEnd.streamId !== reported) yield atEnd
  const empty = await source.sessionWithoutEvents()
  if (empty !== null) yield found('event-removed', empty, `session ${empty} has no events in the log`)
}

function problemOfPlace(place: StreamPlace, previous: EventPlace | null, kinds: readonly string[]): LogProblem | null {
  const { kind, streamId, seq, position } = place
  if (!kinds.includes(kind)) {
    return found('event-added', streamId, `${named(place)} has a kind that this version does not write`)
  }
  const expected = (previous?.seq ?? 0) + 1
  if (seq !== expected) {
    const detail = `${named({ ...place, seq: expected })} is no longer in the log: the next one is event ${seq}`
    return found(seq > expected ? 'event-removed' : 'event-added', streamId, detail)
  }
  if (position > (previous?.position ?? 0)) return null
  const detail =
    previous === null
      ? `${named(place)} has position ${position}, but positions begin at 1`
      : `${named(place)} has position ${position}, but event ${previous.seq} before it has ${previous.position}`
  return found('event-moved', streamId, detail)
}

/** Only sessions have a row. It was read together with the place, so both describe the same moment. */
function problemOfLast(last: StreamPlace | null): LogProblem | null {
  if (last === null || last.kind !== 'session' || last.seq === last.sessionSeq) return null
  const { streamId, seq, sessionSeq } = last
  if (sessionSeq === null) {
    return found('event-added', streamId, `session ${streamId} has events in the log, but is not in the database`)
  }
  const detail = `session ${streamId} ends with event ${seq} in the log, but with event ${sessionSeq} in its row`
  return found(seq < sessionSeq ? 'event-removed' : 'event-added', streamId, detail)
}

/** An event that the chain covers and that is unchanged in the log. */
export type RecordedPlace = EventPlace & { readonly entry: number }

/**
 * Compares the audited events of the log with the entries of the chain, a page of entries at a time. Both are written
 * in the same transaction, so they have the same order.
 */
export function createOrderFold(source: LogSource) {
  let last: Pick<RecordedPlace, 'position' | 'entry'> = { position: 0, entry: 0 }

  /** Looks for audited events without an entry, from the last compared position up to this one. */
  async function findUnrecorded(upTo: number, recorded: readonly RecordedPlace[]): Promise<LogProblem | null> {
    let after = last.position
    let { entry } = last
    let index = 0
    for (;;) {
      const page = await source.readAudited(after, upTo, pageSize)
      for (const place of page) {
        let next = recorded[index]
        while (next !== undefined && next.position <= place.position) {
          entry = next.entry
          index += 1
          next = recorded[index]
        }
        if (recorded[index - 1]?.position === place.position || (await isOlderThanAudit(place, entry))) continue
        const detail = `${named(place)} (${place.type}) is in the log, but the chain has no entry for it`
        return found('event-added', place.streamId, detail)
      }
      if (page.length < pageSize) return null
      after = page.at(-1)?.position ?? upTo
      await yieldToEventLoop()
    }
  }

  let adoptions: ReadonlyMap<string, number> | null = null

  /** Events of adopted sessions have no entries. Later ones follow an entry after the adoption. */
  async function isOlderThanAudit({ streamId }: EventPlace, entryBefore: number): Promise<boolean> {
    adoptions ??= await source.adoptions()
    return (adoptions.get(streamId) ?? 0) > entryBefore
  }

  return {
    /** The events of the next entries, in the order of the entries. */
    async add(recorded: readonly RecordedPlace[]): Promise<LogProblem | null> {
      let before = last
      for (const place of recorded) {
        if (place.position <= before.position) {
          const detail = `${named(place)}, recorded in entry ${place.entry}, has position ${place.position}, but the event of entry ${before.entry} has ${before.position}`
          return { ...found('event-moved', place.streamId, detail), entry: place.entry }
        }
        before = place
      }
      const problem = await findUnrecorded(before.position, recorded)
      last = before
      return problem
    },
    /** After the last entry: `upTo` is a position that the log had reached before the end of the chain was read. */
    finish: (upTo: number): Promise<LogProblem | null> => findUnrecorded(upTo, []),
  }
}
