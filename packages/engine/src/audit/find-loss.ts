// Compares the database with the notes of its commits. The notes may be behind the database, because a note is written
// after its commit. A database that is behind its notes has lost commits.
import { SessionId } from '@quarterdeck/protocol'
import type { AuditHead } from './audit-entry.ts'
import { furthestOf, type HeadNote } from './head-note.ts'

/** The database that the notes are compared with. Read it after the notes, so that it can only be ahead of them. */
export interface LossSource {
  auditHead(): Promise<AuditHead | null>
  /** `null` where the chain has no such entry. */
  hashOfEntry(seq: number): Promise<string | null>
  /** The last event of each of these sessions; a session that does not exist is not in the map. */
  lastEvents(sessionIds: readonly SessionId[]): Promise<ReadonlyMap<SessionId, number>>
  isDeletedAfter(sessionId: SessionId, auditSeq: number): Promise<boolean>
}

export interface Loss {
  readonly ok: false
  /** The first entry that is missing or differs. */
  readonly seq: number
  readonly problem: 'truncated' | 'rewritten' | 'event-removed'
  readonly detail: string
  readonly sessions: readonly SessionId[]
}

export async function findLoss(notes: readonly HeadNote[], source: LossSource): Promise<Loss | null> {
  const committed = furthestOf(notes)
  if (committed === null) return null
  const now = (await source.auditHead()) ?? { entries: 0, hash: '' }
  const sessions = await sessionsBehind(notes, source)
  const named = sessions.length === 0 ? '' : `. Affected sessions: ${listOf(sessions)}`
  if (now.entries < committed.entries) {
    const gone = committed.entries - now.entries
    const detail = `the audit chain had ${committed.entries} entries and ends at ${now.entries}: ${gone} committed entries are gone${named}`
    return { ok: false, seq: now.entries + 1, problem: 'truncated', detail, sessions }
  }
  const { entries: seq, hash } = committed
  if (seq > 0 && (await source.hashOfEntry(seq)) !== hash) {
    const detail = `entry ${seq} of the audit chain differs from the entry that was committed: the chain up to it was replaced${named}`
    return { ok: false, seq, problem: 'rewritten', detail, sessions }
  }
  if (sessions.length === 0) return null
  const detail = `the database does not have the sessions as they were committed${named}`
  return { ok: false, seq: now.entries, problem: 'event-removed', detail, sessions }
}

/** Sessions with fewer events than were committed, and deleted sessions that are back. */
async function sessionsBehind(notes: readonly HeadNote[], source: LossSource): Promise<readonly SessionId[]> {
  const committed = new Map<SessionId, number>()
  for (const note of notes) {
    for (const [name, seq] of Object.entries(note.sessions)) {
      const { success, data: id } = SessionId.safeParse(name)
      if (success) committed.set(id, later(committed.get(id), seq))
    }
  }
  const now = await source.lastEvents([...committed.keys()])
  const behind: SessionId[] = []
  for (const [sessionId, seq] of committed) {
    const last = now.get(sessionId) ?? 0
    const isBack = seq === 0 && last > 0
    if (isBack || (last < seq && !(await source.isDeletedAfter(sessionId, 0)))) behind.push(sessionId)
  }
  return behind
}

/** Several processes write the notes, so their order says nothing. A deleted session (0) never returns. */
const later = (known: number | undefined, seq: number): number =>
  known === 0 || seq === 0 ? 0 : Math.max(known ?? 0, seq)

const maxNamed = 50

const listOf = (sessions: readonly SessionId[]): string =>
  sessions.slice(0, maxNamed).join(', ') + (sessions.length > maxNamed ? ` and ${sessions.length - maxNamed} more` : '')
