// A page ends at a session; its cursor is that session's place in the order (created, then id). Opaque to clients.
import { QuarterdeckError, SessionId, type SessionState } from '@quarterdeck/protocol'
import { z } from 'zod'

const PositionTuple = z.tuple([z.iso.datetime(), SessionId])

export interface ListPosition {
  readonly createdAt: string
  readonly sessionId: SessionId
}

/** Newest first; the id settles a tie. */
export function comesFirst(one: ListPosition, other: ListPosition): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt
  return one.sessionId > other.sessionId
}

export const encodeListCursor = ({ createdAt, sessionId }: SessionState): string =>
  Buffer.from(JSON.stringify([createdAt, sessionId])).toString('base64url')

export function decodeListCursor(cursor: string): ListPosition {
  const position = PositionTuple.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!position.success) {
    const detail = 'the cursor is not one of this list: pass `nextCursor` of an earlier page as it is, or none at all'
    throw new QuarterdeckError('cursor.malformed', detail, { facts: { cursor } })
  }
  const [createdAt, sessionId] = position.data
  return { createdAt, sessionId }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not ours: the schema refuses `undefined` like everything else that is no place.
    return undefined
  }
}
