// Walks the chain from its first entry to its head and looks up the event of each entry. Reads one page at a time: a
// million entries take no more memory than a thousand.
import { SessionId } from '@quarterdeck/protocol'
import { yieldToEventLoop } from '../async/yield-to-event-loop.ts'
import { type AuditHead, type AuditRecord, emptyChain, entryOfRecord, hashRecord } from './audit-entry.ts'
import { type Booked, bookedIn, isBooking, sameBooking } from './booked.ts'
import { createKeyFold, type KeyFacts, type KeyProblem } from './verify-keys.ts'
import {
  createOrderFold,
  type LogProblem,
  type LogSource,
  problemOfEnd,
  problemsOfStreams,
  type RecordedPlace,
} from './verify-log.ts'

/** An entry as stored, with the current hash of its event in the log. */
export interface AuditProof {
  readonly record: AuditRecord
  /** `null` if there is no such event. */
  readonly eventHashNow: string | null
  /** The position of that event in the log; `null` if there is no such event. */
  readonly position: number | null
  /** The ledger's row of the request in the entry; `null` for other entries, and if there is none. */
  readonly booked: Booked | null
  /** The owners of the session that an entry creates or adopts; `null` for other entries. */
  readonly session: RecordedOwners | null
}

export interface RecordedOwners {
  /** The owner in the event or adoption that the chain covers. */
  readonly inChain: string | null
  /** The owners in the session's row: its column and its state. `null` when there is no row. */
  readonly inDatabase: readonly string[] | null
}

/** The action of the entry that adds a session of an earlier version to the chain. */
export const sessionAdopted = 'session.adopted'

/** The data needed for verification; every store provides it. */
export interface AuditSource extends LogSource {
  readAuditProofs(afterSeq: number, limit: number): Promise<readonly AuditProof[]>
  auditHead(): Promise<AuditHead | null>
  isDeletedAfter(sessionId: SessionId, auditSeq: number): Promise<boolean>
  /** The rows of all keys. */
  keyFacts(): Promise<readonly KeyFacts[]>
  /** A session in the database whose creation or adoption is not in the chain; `null` if there is none. */
  sessionOutsideChain(): Promise<SessionId | null>
}

type AuditProblem =
  | 'altered'
  | 'removed'
  | 'reordered'
  | 'truncated'
  | 'event-altered'
  | 'books-altered'
  | 'session-altered'
  | 'session-added'
  | 'session-removed'
  | KeyProblem['problem']
  | LogProblem['problem']

export type ChainVerdict =
  | { readonly ok: true; readonly entries: number; readonly hash: string }
  | { readonly ok: false; readonly seq: number; readonly problem: AuditProblem; readonly detail: string }

const pageSize = 1000

/** Returns the first problem, or the number of valid entries. Entries may be appended meanwhile. */
export async function verifyAudit(source: AuditSource): Promise<ChainVerdict> {
  const folds = { keys: createKeyFold(), order: createOrderFold(source) }
  let reached = emptyChain
  for (;;) {
    // Read before the rest of the chain: if the rest has no entry about keys, chain and rows describe the same moment,
    // and every audited event up to this end of the log has its entry.
    const rows = await source.keyFacts()
    const end = await source.logEnd()
    const walked = await walkChain(source, reached, folds)
    if (!walked.ok) return walked
    reached = walked.reached
    if (walked.isAboutKeys) continue
    const problem = folds.keys.compare(rows)
    if (problem !== null) return faultOfKey(problem, reached.entries)
    const outside = await source.sessionOutsideChain()
    if (outside !== null) {
      const detail = `session ${outside} is in the database, but the chain has no entry for its creation`
      return fault(reached.entries, 'session-added', detail)
    }
    const ofLog = problemOfEnd(end) ?? (await folds.order.finish(end.last)) ?? (await problemOfStreams(source, reached))
    return ofLog === null ? { ok: true, ...reached } : faultOfLog(ofLog, reached.entries)
  }
}

async function problemOfStreams(source: AuditSource, reached: AuditHead): Promise<LogProblem | null> {
  for await (const problem of problemsOfStreams(source)) {
    // A session that is deleted between two pages seems to lack events.
    const { data: sessionId } = SessionId.safeParse(problem.streamId)
    if (sessionId === undefined || !(await source.isDeletedAfter(sessionId, reached.entries))) return problem
  }
  return null
}

interface Folds {
  readonly keys: ReturnType<typeof createKeyFold>
  readonly order: ReturnType<typeof createOrderFold>
}

type Walked = Fault | { readonly ok: true; readonly reached: AuditHead; readonly isAboutKeys: boolean }

/** Verifies the entries after `from`, up to the head. */
async function walkChain(source: AuditSource, from: AuditHead, { keys, order }: Folds): Promise<Walked> {
  let reached = from
  let announced = 0
  let isAboutKeys = false
  for (;;) {
    const page = await source.readAuditProofs(reached.entries, pageSize)
    for (const proof of page) {
      const problem = (await problemOfEntry(proof.record, reached, source)) ?? (await problemOfProof(proof, source))
      if (problem !== null) return problem
      const ofKey = keys.add(proof.record)
      if (ofKey !== null) return faultOfKey(ofKey, proof.record.seq)
      isAboutKeys ||= keys.isAbout(proof.record)
      reached = { entries: proof.record.seq, hash: proof.record.hash }
    }
    const ofLog = await order.add(page.flatMap(placeOfProof))
    if (ofLog !== null) return faultOfLog(ofLog, reached.entries)
    // A long chain takes seconds: other work runs in between.
    await yieldToEventLoop()
    if (page.length === pageSize) continue
    // Read after the entries, so it can only be ahead of them: then there is more to read, or the end was cut off.
    const head = await source.auditHead()
    if (head === null || head.entries <= reached.entries || head.entries === announced) {
      return problemOfHead(head, reached) ?? { ok: true, reached, isAboutKeys }
    }
    announced = head.entries
  }
}

type Fault = Extract<ChainVerdict, { ok: false }>

const fault = (seq: number, problem: AuditProblem, detail: string): Fault => ({ ok: false, seq, problem, detail })

async function problemOfEntry(record: AuditRecord, reached: AuditHead, source: AuditSource): Promise<Fault | null> {
  const expected = reached.entries + 1
  const { seq } = record
  if (seq !== expected) return fault(expected, 'removed', `entry ${expected} is missing: the next one is ${seq}`)
  if (hashRecord(record) !== record.hash) {
    const origin =
      record.prevHash === reached.hash ? null : await originalSeqOf(record, (await source.auditHead())?.entries ?? 0)
    if (origin === null) return fault(seq, 'altered', `entry ${seq} was changed: its hash does not match`)
    return fault(seq, 'reordered', `entry ${seq} was written as entry ${origin}`)
  }
  if (record.prevHash === reached.hash) return null
  return fault(seq, 'altered', `entry ${seq} does not follow entry ${reached.entries}: one of the two was rewritten`)
}

/** How far around an entry its original position is searched. An entry from further away is reported as altered. */
const neighbourhood = 1000
const hashesAtOnce = 100

/** The original number of an entry, if its hash is valid for a number near its current one. */
async function originalSeqOf(record: AuditRecord, entries: number): Promise<number | null> {
  for (let distance = 1; distance <= neighbourhood; distance++) {
    for (const seq of [record.seq + distance, record.seq - distance]) {
      if (seq >= 1 && seq <= entries && hashRecord({ ...record, seq }) === record.hash) return seq
    }
    if (distance % hashesAtOnce === 0) await yieldToEventLoop()
  }
  return null
}

const faultOfKey = ({ seq, problem, detail }: KeyProblem, entries: number): Fault =>
  fault(seq ?? entries, problem, detail)

const faultOfLog = ({ entry, problem, detail }: LogProblem, entries: number): Fault =>
  fault(entry ?? entries, problem, detail)

/** Empty for an entry without an event, and for an event of a deleted session. */
function placeOfProof({ record, eventHashNow, position }: AuditProof): readonly RecordedPlace[] {
  const { seq: entry, sessionId: streamId, eventSeq: seq, eventHash } = record
  if (streamId === null || seq === null || position === null || eventHash !== eventHashNow) return []
  return [{ kind: 'session', streamId, seq, position, entry }]
}

const problemOfProof = async (proof: AuditProof, source: AuditSource): Promise<Fault | null> =>
  (await problemOfEvent(proof, source)) ?? (await problemOfSession(proof, source)) ?? problemOfBooking(proof)

async function problemOfSession({ record, session }: AuditProof, source: AuditSource): Promise<Fault | null> {
  const { seq, sessionId } = record
  if (session === null || sessionId === null) return null
  const { inChain, inDatabase } = session
  const other = inDatabase?.find((owner) => owner !== inChain)
  if (inDatabase !== null && other === undefined) return null
  if (await source.isDeletedAfter(sessionId, seq)) return null
  if (inDatabase === null) {
    const detail = `session ${sessionId} is not in the database, but the chain has no entry for its deletion`
    return fault(seq, 'session-removed', detail)
  }
  const detail = `session ${sessionId} belongs to ${other} in the database, but to ${inChain} in the chain`
  return fault(seq, 'session-altered', detail)
}

async function problemOfEvent({ record, eventHashNow }: AuditProof, source: AuditSource): Promise<Fault | null> {
  const { seq, sessionId, eventSeq, eventHash } = record
  if (sessionId === null || eventSeq === null || eventHash === eventHashNow) return null
  if (await source.isDeletedAfter(sessionId, seq)) return null
  const event = `event ${eventSeq} of session ${sessionId}, recorded in entry ${seq},`
  if (eventHashNow === null) return fault(seq, 'event-removed', `${event} is no longer in the log`)
  return fault(seq, 'event-altered', `${event} was changed`)
}

/** The ledger outlives its session, so a deleted session is no excuse here. */
function problemOfBooking({ record, booked }: AuditProof): Fault | null {
  if (!isBooking(record)) return null
  const { seq, subject, sessionId } = record
  const request = `the booking of ${subject} in session ${sessionId}, recorded in entry ${seq},`
  if (booked === null) return fault(seq, 'books-altered', `${request} is no longer in the ledger`)
  if (sameBooking(booked, bookedIn(entryOfRecord(record).detail))) return null
  return fault(seq, 'books-altered', `${request} was changed`)
}

function problemOfHead(head: AuditHead | null, { entries, hash }: AuditHead): Fault | null {
  if (head === null) return fault(entries + 1, 'truncated', 'the record of the end of the chain was removed')
  if (entries < head.entries) {
    return fault(entries + 1, 'truncated', `the chain had ${head.entries} entries and ends at ${entries}`)
  }
  if (entries === head.entries && hash === head.hash) return null
  return fault(head.entries, 'altered', 'the record of the end of the chain does not match the chain')
}
