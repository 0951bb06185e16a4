import type { SessionStatus } from '@quarterdeck/protocol'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { toolKind } from '../../../stores/transcript/tool-call.ts'
import { isWaiting, type TranscriptRow } from '../../../stores/transcript/transcript-rows.ts'
import { outcomeLabels } from './outcome-labels.ts'

/** Only important results get a glyph. */
export function markOf(row: TranscriptRow, projection: SessionProjection): SessionStatus | null {
  switch (row.type) {
    case 'tool':
      if (row.item.status === 'failed') return 'failed'
      if (row.item.status === 'running') return 'running'
      if (row.item.status === 'unknown') return 'interrupted'
      return toolKind(row.item.toolName) === 'command' ? 'completed' : null
    case 'subagent': {
      const status = projection.tree.get(row.agentKey)?.status ?? row.item.status
      if (status === 'waiting') return 'waiting_approval'
      if (status === 'done') return 'completed'
      return status === 'unknown' ? 'interrupted' : status
    }
    case 'approval':
      return isWaiting(row) ? 'waiting_approval' : null
    case 'question':
      return isWaiting(row) ? 'waiting_user' : null
    case 'client-call':
      if (isWaiting(row)) return 'waiting_client'
      return row.item.isExpired || row.item.result?.isError === true ? 'failed' : null
    case 'turn':
      return outcomeLabels[row.item.ended.outcome].state
    case 'notice':
      return row.item.tone === 'interrupted' ? 'interrupted' : null
    default:
      return null
  }
}
