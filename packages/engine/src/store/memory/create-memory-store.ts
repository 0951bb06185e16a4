// The store for tests and for runs that leave nothing behind. Same promises as the durable one, except durability:
// every method does its work before the first await, so that nothing can come in between.
import type { EventDraft, SessionEvent, SessionId, SessionState, SessionStatus } from '@quarterdeck/protocol'
import { type AuditRecord, hashEvent } from '../../audit/audit-entry.ts'
import type { Booked } from '../../audit/booked.ts'
import type { RecordedOwners } from '../../audit/verify-audit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { AppendOptions, AskId, EventStore } from '../ports/event-store.ts'
import { settledTexts } from '../ports/settled-texts.ts'
import { leaseLost, seedUsed, writeConflict } from '../ports/store-errors.ts'
import { auditLinesOf } from '../sql/audit/audit-lines.ts'
import { deletionEntry } from '../sql/audit/change-entries.ts'
import { rowOfEvent } from '../sql/database/event-row.ts'
import { withoutBookedUsage } from '../sql/ledger/book-once.ts'
import { withoutGivenWarnings } from '../sql/ledger/warn-once.ts'
import { planAppend } from '../sql/log/plan-append.ts'
import { type SideRow, sideRowOf } from '../sql/log/side-rows.ts'
import { listStates } from './list-states.ts'
import { createMemoryAudit } from './memory-audit.ts'
import { createMemoryBegunAnswers } from './memory-begun-answers.ts'
import { createMemoryHolders } from './memory-holders.ts'
import { createMemoryKeys } from './memory-keys.ts'
import { createMemoryMoney } from './memory-money.ts'
import { createMemoryOpenTexts } from './memory-open-texts.ts'
import { createMemoryOutbox } from './memory-outbox.ts'
import { createMemoryReplies } from './memory-replies.ts'
import { createMemoryToolTrust } from './memory-tool-trust.ts'

interface Log {
  state: SessionState
  readonly events: SessionEvent[]
}

interface Append {
  readonly sessionId: SessionId
  readonly expectedSeq: number
  readonly drafts: readonly EventDraft[]
  readonly options: AppendOptions
}

export function createMemoryStore({ clock, ids }: { clock: Clock; ids: Ids }): EventStore {
  const logs = new Map<SessionId, Log>()
  const asks = new Map<AskId, SessionId>()
  const seeds = new Map<string, SessionId>()
  const openTexts = createMemoryOpenTexts()
  const begun = createMemoryBegunAnswers()
  const { add, note, ...audit } = createMemoryAudit(clock, { hashOfEvent: hashOfAudited, bookedFor, ownersFor })
  const { book, bookedOf, isWarningDue, markWarned, ...money } = createMemoryMoney(note)
  const { enqueue, drop: dropDeliveries, ...outbox } = createMemoryOutbox(clock, ids)
  const { fencingOf, drop: dropLease, ...holders } = createMemoryHolders()
  const states = () => [...logs.values()].map((log) => log.state)

  async function bookedFor({ action, sessionId, subject }: AuditRecord): Promise<Booked | null> {
    if (action !== 'UsageRecorded' || sessionId === null) return null
    return (await money.ledger(sessionId)).find(({ apiMessageId }) => apiMessageId === subject) ?? null
  }

  function ownersFor({ sessionId, eventSeq }: AuditRecord): RecordedOwners | null {
    if (sessionId === null || eventSeq !== 1) return null
    const log = logs.get(sessionId)
    const [first] = log?.events ?? []
    const inChain = first?.type === 'AgentSessionCreated' ? first.data.owner : null
    return { inChain, inDatabase: log === undefined ? null : [log.state.owner] }
  }

  function hashOfAudited({ sessionId, eventSeq }: AuditRecord): string | null {
    if (sessionId === null || eventSeq === null) return null
    const event = logs.get(sessionId)?.events[eventSeq - 1]
    return event === undefined ? null : hashEvent(rowOfEvent(event))
  }

  function append({ sessionId, expectedSeq, drafts, options }: Append): readonly SessionEvent[] {
    const log = logs.get(sessionId)
    refuseOtherWriter(sessionId, { expectedSeq, fencing: options.fencing ?? Number.POSITIVE_INFINITY })
    const fresh = withoutGivenWarnings(withoutBookedUsage(copyOf(drafts), bookedOf(sessionId)), isWarningDue)
    if (fresh.length === 0) return []
    const plan = planAppend({ sessionId, previous: log?.state ?? null, drafts: fresh }, { clock, ids })
    const { events, state } = plan
    const rows = events.flatMap((event) => sideRowOf(event, state) ?? [])
    refuseKnown(rows)
    const written: Log = log ?? { state, events: [] }
    written.state = state
    written.events.push(...events)
    logs.set(sessionId, written)
    for (const row of rows) writeSideRow(sessionId, row)
    for (const text of events.flatMap(settledTexts)) openTexts.drop(sessionId, text)
    add(auditLinesOf(events, events.map(rowOfEvent)))
    enqueue(events)
    return events
  }

  function refuseOtherWriter(sessionId: SessionId, writer: { expectedSeq: number; fencing: number }): void {
    const fencing = fencingOf(sessionId)
    if (fencing > writer.fencing) throw leaseLost(sessionId, writer.fencing, fencing)
    const actualSeq = logs.get(sessionId)?.state.seq ?? 0
    if (actualSeq !== writer.expectedSeq) throw writeConflict(sessionId, writer.expectedSeq, actualSeq)
  }

  function refuseKnown(rows: readonly SideRow[]): void {
    const opened = rows.flatMap((row) => (row.type === 'ask-opened' ? [row.id] : []))
    const twice = opened.find((id, index) => asks.has(id) || opened.indexOf(id) !== index)
    if (twice !== undefined) throw new Error(`${twice} was asked before`)
    for (const row of rows) {
      const earlier = row.type === 'seed-used' ? seeds.get(row.seed) : undefined
      if (row.type === 'seed-used' && earlier !== undefined) throw seedUsed(row.seed, earlier)
    }
  }

  function writeSideRow(sessionId: SessionId, row: SideRow): void {
    if (row.type === 'ask-opened') asks.set(row.id, sessionId)
    if (row.type === 'seed-used') seeds.set(row.seed, sessionId)
    if (row.type === 'usage-booked') {
      book(row.booking)
      begun.drop(row.booking)
    }
    if (row.type === 'warning-given') markWarned(row.mark)
  }

  function remove(sessionId: SessionId, by: string): boolean {
    const log = logs.get(sessionId)
    if (log === undefined) return false
    logs.delete(sessionId)
    openTexts.dropAll(sessionId)
    begun.dropAll(sessionId)
    dropDeliveries(sessionId)
    dropLease(sessionId)
    for (const [id, owner] of asks) if (owner === sessionId) asks.delete(id)
    for (const [seed, owner] of seeds) if (owner === sessionId) seeds.delete(seed)
    const { seq: events, agentName, owner } = log.state
    note(deletionEntry(sessionId, { events, agentName, owner }, by))
    return true
  }

  return {
    ...holders,
    ...createMemoryReplies(clock),
    ...createMemoryToolTrust(),
    ...audit,
    ...money,
    ...outbox,
    ...createMemoryKeys({ clock, note, saveBudget: money.saveBudget }),
    append: async (...[sessionId, expectedSeq, drafts, options = {}]) =>
      append({ sessionId, expectedSeq, drafts, options }),
    read: async (sessionId, afterSeq, limit) => logs.get(sessionId)?.events.slice(afterSeq, afterSeq + limit) ?? [],
    load: async (sessionId) => logs.get(sessionId)?.state ?? null,
    list: async (filter, page) => listStates(states(), filter, page),
    listByStatus: async (statuses) => states().filter((state) => statuses.includes(state.status)),
    async countByStatus() {
      const counts = new Map<SessionStatus, number>()
      for (const { status } of states()) counts.set(status, (counts.get(status) ?? 0) + 1)
      return counts
    },
    findAsk: async (id) => asks.get(id) ?? null,
    findSeed: async (seed) => seeds.get(seed) ?? null,
    listWaiting: async () => waitingFirst(states()),
    remove: async (sessionId, by) => remove(sessionId, by),
    saveOpenText: async (sessionId, text) => openTexts.save(sessionId, text),
    addToOpenTexts: async (pieces) => pieces.forEach(openTexts.add),
    openTexts: async (sessionId) => openTexts.of(sessionId),
    dropOpenText: async (sessionId, messageId, kind) => openTexts.drop(sessionId, { messageId, kind }),
    noteBegun: async (answer) => begun.note(answer),
    begunAnswers: async () => begun.all(),
    dropBegun: async (answer) => void begun.drop(answer),
    check: async () => {},
    close: async () => {},
  }
}

/** What a round trip through the disk would give: later changes by the caller do not reach the log. */
const copyOf = (drafts: readonly EventDraft[]): readonly EventDraft[] => JSON.parse(JSON.stringify(drafts))

/** Those that wait for somebody, by how long they have. */
function waitingFirst(states: readonly SessionState[]): readonly SessionState[] {
  const waiting = states.flatMap((state) => {
    const [oldest] = [...state.approvals, ...state.questions, ...state.clientCalls].map((ask) => ask.at).sort()
    return oldest === undefined ? [] : [{ state, place: `${oldest} ${state.sessionId}` }]
  })
  return waiting.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ state }) => state)
}
