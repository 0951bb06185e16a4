// What events change in the rows kept beside the log.
import type { AgentStreamSnapshot, ApprovalId, EventOfType, SessionEvent } from '@quarterdeck/protocol'
import type { LedgerRow } from './event-store.ts'

export type TextKind = AgentStreamSnapshot['data']['kind']

export type SideRow =
  | { readonly type: 'approval-opened'; readonly approvalId: ApprovalId; readonly at: string }
  | { readonly type: 'approval-closed'; readonly approvalId: ApprovalId }
  | { readonly type: 'usage-booked'; readonly seq: number; readonly row: LedgerRow }
  | { readonly type: 'text-settled'; readonly messageId: string; readonly kinds: readonly TextKind[] }

export function sideRowOf(event: SessionEvent): SideRow | null {
  switch (event.type) {
    case 'ApprovalRequested':
      return { type: 'approval-opened', approvalId: event.data.approvalId, at: event.at }
    case 'ApprovalDecided':
    case 'ApprovalExpired':
      return { type: 'approval-closed', approvalId: event.data.approvalId }
    case 'UsageRecorded':
      return { type: 'usage-booked', seq: event.seq, row: ledgerRowOf(event) }
    // Settled in the transaction of its event: a crash in between would show the same text twice, once as discarded.
    case 'AgentThought':
    case 'SubagentThought':
      return { type: 'text-settled', messageId: event.data.messageId, kinds: ['text'] }
    case 'AgentThinking':
      return { type: 'text-settled', messageId: event.data.messageId, kinds: ['thinking'] }
    case 'AgentStreamDiscarded':
      return { type: 'text-settled', messageId: event.data.messageId, kinds: ['text', 'thinking'] }
    default:
      return null
  }
}

function ledgerRowOf({ sessionId, at, data }: EventOfType<'UsageRecorded'>): LedgerRow {
  const { requestId, apiMessageId, model, servedModel, tokens, costUsd, source } = data
  return { sessionId, requestId, apiMessageId, model, servedModel, tokens, costUsd, source, at }
}
