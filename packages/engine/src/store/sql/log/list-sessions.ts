// A page of sessions. Every query has an index in list order: nothing is sorted, and a page takes as long among a
// hundred thousand sessions as among a hundred.
import type { SessionState } from '@quarterdeck/protocol'
import { expressionBuilder, type Kysely, sql } from 'kysely'
import type { SessionFilter, SessionListPage } from '../../ports/event-store.ts'
import type { SessionRow, StoreTables } from '../database/tables.ts'
import { foldTitle } from './fold-title.ts'
import { comesFirst, decodeListCursor, encodeListCursor, type ListPosition } from './list-cursor.ts'
import type { StateRow } from './session-states.ts'

interface ListRequest {
  readonly filter: SessionFilter
  readonly page: { readonly limit: number; readonly cursor?: string }
  readonly statesOf: (rows: readonly StateRow[]) => Promise<SessionState[]>
}

export async function listSessions(
  db: Kysely<StoreTables>,
  { filter, page, statesOf }: ListRequest,
): Promise<SessionListPage> {
  const after = page.cursor === undefined ? null : decodeListCursor(page.cursor)
  // One more than requested shows whether there is a next page.
  const count = page.limit + 1
  const sides = filter.archived === 'all' ? ([0, 1] as const) : ([filter.archived === true ? 1 : 0] as const)
  const pages = await Promise.all(sides.map((isArchived) => rowsOf(db, { filter, isArchived, after, count })))
  const found =
    pages.length === 1
      ? (pages[0] ?? [])
      : pages.flat().sort((one, other) => (comesFirst(positionOf(one), positionOf(other)) ? -1 : 1))
  const sessions = await statesOf(found.slice(0, page.limit))
  const last = sessions.at(-1)
  return { sessions, nextCursor: last !== undefined && found.length > page.limit ? encodeListCursor(last) : null }
}

interface Side {
  readonly filter: SessionFilter
  readonly isArchived: 0 | 1
  readonly after: ListPosition | null
  readonly count: number
}

function rowsOf(db: Kysely<StoreTables>, { filter, isArchived, after, count }: Side) {
  const { status, agentName, tag, owner, hibernated, text } = filter
  // The table whose index has the order: sorting every session of a common tag would be slow.
  const ordered = tag === undefined ? 'sessions' : 'session_tags'
  const createdAt = sql.ref<string>(`${ordered}.created_at`)
  const sessionId = sql.ref<string>(`${ordered}.session_id`)
  const { eb, and } = expressionBuilder<StoreTables, 'sessions'>()
  const conditions = [eb(sql.ref(`${ordered}.is_archived`), '=', isArchived)]
  if (status !== undefined) conditions.push(eb('status', '=', status))
  if (agentName !== undefined) conditions.push(eb('agent_name', '=', agentName))
  if (owner !== undefined) conditions.push(eb('owner', '=', owner))
  if (hibernated !== undefined) conditions.push(eb('is_hibernated', '=', hibernated ? 1 : 0))
  if (text !== undefined) conditions.push(eb('folded_title', 'like', sql<string>`${patternOf(text)} escape '\\'`))
  if (after !== null) {
    const last = sql<string>`(${after.createdAt}, ${after.sessionId})`
    conditions.push(eb(sql<string>`(${createdAt}, ${sessionId})`, '<', last))
  }
  const found = db
    .selectFrom('sessions')
    .select(['sessions.session_id', 'sessions.seq', 'sessions.state', 'sessions.created_at'])
    .where(and(conditions))
    .orderBy(createdAt, 'desc')
    .orderBy(sessionId, 'desc')
    .limit(count)
  if (tag === undefined) return found.execute()
  return found
    .innerJoin('session_tags', 'session_tags.session_id', 'sessions.session_id')
    .where('session_tags.tag', '=', tag)
    .execute()
}

function positionOf(row: Pick<SessionRow, 'created_at' | 'session_id'>): ListPosition {
  return { createdAt: row.created_at, sessionId: row.session_id }
}

/** Matches any title that contains this text; pattern characters are taken literally. */
const patternOf = (text: string): string => `%${foldTitle(text).replaceAll(/[\\%_]/g, '\\$&')}%`
