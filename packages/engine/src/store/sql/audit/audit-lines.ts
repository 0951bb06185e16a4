import type { SessionEvent } from '@quarterdeck/protocol'
import { auditDraftOf } from '../../../audit/audit-draft-of.ts'
import { type AuditDraft, hashEvent } from '../../../audit/audit-entry.ts'
import type { AuditLine } from '../../../audit/chain-entries.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { EventRow } from '../database/event-row.ts'

/** The audit entries of these events. `rows` are the same events as stored in the log. */
export function auditLinesOf(events: readonly SessionEvent[], rows: readonly EventRow[]): readonly AuditLine[] {
  return events.flatMap((event, index) => {
    const draft = auditDraftOf(event)
    const row = rows[index]
    if (draft === null || row === undefined) return []
    return [{ at: event.at, draft, event: { seq: event.seq, hash: hashEvent(row) } }]
  })
}

/** An entry for a change that no event records. */
export function lineAt(clock: Clock, draft: AuditDraft): AuditLine {
  return { at: clock.now().toISOString(), draft, event: null }
}
