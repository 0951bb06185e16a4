// The store for tests and for runs that leave nothing behind. Same promises as the durable one, except durability:
// every method does its work before the first await, so that nothing can come in between.
import type { ApprovalId, EventDraft, SessionEvent, SessionId, SessionState } from '@quarterdeck/protocol'
import { withoutBooked } from '../book-once.ts'
import type { Clock, EventStore, Ids, LedgerRow } from '../event-store.ts'
import { planAppend } from '../plan-append.ts'
import { type SideRow, sideRowOf } from '../side-rows.ts'
import { writeConflict } from '../store-errors.ts'
import { listStates } from './list-states.ts'
import { createMemoryHolders } from './memory-holders.ts'
import { createMemoryOpenTexts } from './memory-open-texts.ts'
import { createMemoryReplies } from './memory-replies.ts'

interface Log {
  state: SessionState
  readonly events: SessionEvent[]
  readonly ledger: Map<string, LedgerRow>
}

export function createMemoryStore({ clock, ids }: { clock: Clock; ids: Ids }): EventStore {
  const logs = new Map<SessionId, Log>()
  const approvals = new Map<ApprovalId, SessionId>()
  const openTexts = createMemoryOpenTexts()
  const states = () => [...logs.values()].map((log) => log.state)

  function append(sessionId: SessionId, expectedSeq: number, drafts: readonly EventDraft[]): readonly SessionEvent[] {
    const log = logs.get(sessionId)
    const actualSeq = log?.state.seq ?? 0
    if (actualSeq !== expectedSeq) throw writeConflict(sessionId, expectedSeq, actualSeq)
    const fresh = withoutBooked(copyOf(drafts), log?.ledger.keys() ?? [])
    if (fresh.length === 0) return []
    const { events, state } = planAppend({ sessionId, previous: log?.state ?? null, drafts: fresh }, { clock, ids })
    const rows = events.flatMap((event) => sideRowOf(event) ?? [])
    refuseKnownApprovals(rows)
    const written: Log = log ?? { state, events: [], ledger: new Map() }
    written.state = state
    written.events.push(...events)
    logs.set(sessionId, written)
    for (const row of rows) writeSideRow(sessionId, row)
    return events
  }

  function refuseKnownApprovals(rows: readonly SideRow[]): void {
    const opened = rows.flatMap((row) => (row.type === 'approval-opened' ? [row.approvalId] : []))
    const twice = opened.find((id, index) => approvals.has(id) || opened.indexOf(id) !== index)
    if (twice !== undefined) throw new Error(`approval ${twice} was requested before`)
  }

  function writeSideRow(sessionId: SessionId, row: SideRow): void {
    if (row.type === 'approval-opened') approvals.set(row.approvalId, sessionId)
    if (row.type === 'usage-booked') logs.get(sessionId)?.ledger.set(row.row.apiMessageId, row.row)
    if (row.type === 'text-settled') openTexts.drop(sessionId, row.messageId, row.kinds)
  }

  return {
    ...createMemoryHolders(),
    ...createMemoryReplies(clock),
    append: async (sessionId, expectedSeq, drafts) => append(sessionId, expectedSeq, drafts),
    read: async (sessionId, afterSeq, limit) => logs.get(sessionId)?.events.slice(afterSeq, afterSeq + limit) ?? [],
    load: async (sessionId) => logs.get(sessionId)?.state ?? null,
    list: async (filter, page) => listStates(states(), filter, page),
    listByStatus: async (statuses) => states().filter((state) => statuses.includes(state.status)),
    findApproval: async (approvalId) => approvals.get(approvalId) ?? null,
    listWaiting: async () =>
      states()
        .filter((state) => state.approvals.length > 0)
        .sort((one, other) => (oldestRequest(one) < oldestRequest(other) ? -1 : 1)),
    saveOpenText: async (sessionId, text) => openTexts.save(sessionId, text),
    openTexts: async (sessionId) => openTexts.of(sessionId),
    dropOpenText: async (sessionId, messageId, kind) => openTexts.drop(sessionId, messageId, [kind]),
    ledger: async (sessionId) => [...(logs.get(sessionId)?.ledger.values() ?? [])],
    check: async () => {},
    close: async () => {},
  }
}

/** What a round trip through the disk would give: later changes by the caller do not reach the log. */
const copyOf = (drafts: readonly EventDraft[]): readonly EventDraft[] => JSON.parse(JSON.stringify(drafts))

const oldestRequest = (state: SessionState): string => state.approvals[0]?.at ?? ''
