import { type AuditDraft, type AuditHead, type AuditRecord, hashRecord } from './audit-entry.ts'

/** A draft with its time and, if it is about an event, the sequence number and hash of that event. */
export interface AuditLine {
  readonly at: string
  readonly draft: AuditDraft
  readonly event: { readonly seq: number; readonly hash: string } | null
}

/** Appends entries to the end of the chain, in order. */
export function chainEntries(head: AuditHead, lines: readonly AuditLine[]): readonly AuditRecord[] {
  let { entries: seq, hash: prevHash } = head
  return lines.map(({ at, draft, event }) => {
    const record = {
      seq: ++seq,
      at,
      principal: asText(draft.principal),
      action: draft.action,
      sessionId: draft.sessionId,
      eventSeq: event?.seq ?? null,
      eventHash: event?.hash ?? null,
      subject: asText(draft.subject),
      detail: JSON.stringify(draft.detail),
      prevHash,
      hash: '',
    }
    prevHash = record.hash = hashRecord(record)
    return record
  })
}

export const headAfter = (records: readonly AuditRecord[], before: AuditHead): AuditHead => {
  const last = records.at(-1)
  return last === undefined ? before : { entries: last.seq, hash: last.hash }
}

/** The database stores no NUL and no unpaired surrogate, and the hashed text must equal the stored text. */
const asText = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()
