// A page ends at a session; its cursor is that session's position in the order (created, then id). Opaque to clients.
import { parseJson, QuarterdeckError, SessionId, type SessionState } from '@quarterdeck/protocol'
import { z } from 'zod'

const PositionTuple = z.tuple([z.iso.datetime(), SessionId])

export interface ListPosition {
  readonly createdAt: string
  readonly sessionId: SessionId
}

/** Newest first; the id breaks a tie. */
export function comesFirst(one: ListPosition, other: ListPosition): boolean {
  if (one.createdAt !== other.createdAt) return one.createdAt > other.createdAt
  return one.sessionId > other.sessionId
}

export const encodeListCursor = ({ createdAt, sessionId }: SessionState): string =>
  Buffer.from(JSON.stringify([createdAt, sessionId])).toString('base64url')

export function decodeListCursor(cursor: string): ListPosition {
  const position = PositionTuple.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()))
  if (!position.success) {
    const detail = 'the cursor does not belong to this list: pass `nextCursor` of an earlier page unchanged, or omit it'
    throw new QuarterdeckError('cursor.malformed', detail, { facts: { cursor } })
  }
  const [createdAt, sessionId] = position.data
  return { createdAt, sessionId }
}
