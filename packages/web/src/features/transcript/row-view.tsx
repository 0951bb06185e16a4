import type { ApprovalItem, SessionStatus } from '@quarterdeck/protocol'
import { memo, type ReactNode } from 'react'
import type { SessionStory } from '../../state/session-story.ts'
import { toolKind } from '../../state/tool-call.ts'
import type { TranscriptRow } from '../../state/transcript-rows.ts'
import { turnCost } from '../../state/turn-costs.ts'
import { StateGlyph } from '../../ui/state-glyph.tsx'
import { EventRow } from './event-row.tsx'
import { MessageText } from './message-text.tsx'
import { NoticeLine } from './notice-line.tsx'
import { outcomeWords } from './outcome-words.ts'
import { SubagentLine } from './subagent-line.tsx'
import { ThinkingLine } from './thinking-line.tsx'
import { ToolFold } from './tool-fold.tsx'
import { ToolLine } from './tool-line.tsx'
import { TurnLine } from './turn-line.tsx'
import { UserBand } from './user-band.tsx'

interface RowViewProps {
  readonly row: TranscriptRow
  readonly story: SessionStory
  readonly renderApproval: (item: ApprovalItem) => ReactNode
  readonly onShowAgent: (key: string) => void
}

export const RowView = memo(function RowView({ row, story, renderApproval, onShowAgent }: RowViewProps) {
  const seq = row.type === 'fold' ? (row.items[0]?.seq ?? null) : row.item.seq
  const state = markOf(row, story)
  const isWaiting = row.type === 'approval' && isOpen(row.item)
  return (
    <EventRow
      seq={seq}
      mark={state === null ? undefined : <StateGlyph state={state} />}
      {...(isWaiting ? { tone: 'waits' as const } : {})}
    >
      {content()}
    </EventRow>
  )

  function content(): ReactNode {
    const folder = story.session.cwd
    switch (row.type) {
      case 'user':
        return <UserBand item={row.item} />
      case 'text':
        return <MessageText item={row.item} />
      case 'thinking':
        return <ThinkingLine item={row.item} seconds={row.seconds} />
      case 'tool':
        return <ToolLine item={row.item} folder={folder} />
      case 'fold':
        return <ToolFold items={row.items} folder={folder} />
      case 'subagent': {
        const cost = story.costs.byAgent.get(row.agentKey)
        const node = story.tree.get(row.agentKey)
        const show = () => onShowAgent(row.agentKey)
        return <SubagentLine item={row.item} node={node} cost={cost} onShow={show} />
      }
      case 'approval':
        return renderApproval(row.item)
      case 'notice':
        return <NoticeLine item={row.item} />
      case 'turn': {
        const cost = turnCost(story.turnCosts, row.item.seq ?? 0)
        return <TurnLine item={row.item} outcome={row.outcome} cost={cost} folder={folder} />
      }
    }
  }
}, showsTheSame)

/**
 * Most rows are their item and nothing else: they are left alone while others change. A new `renderApproval` matters to
 * approvals only, and those are always drawn again.
 */
function showsTheSame(before: RowViewProps, after: RowViewProps): boolean {
  if (before.onShowAgent !== after.onShowAgent || before.story.session.cwd !== after.story.session.cwd) return false
  if (before.row.type === 'fold' && after.row.type === 'fold') {
    const { items } = after.row
    return before.row.items.length === items.length && before.row.items.every((item, place) => item === items[place])
  }
  if (before.row.type === 'fold' || after.row.type === 'fold') return false
  const dependsOnStory = ['subagent', 'approval', 'turn'].includes(after.row.type)
  return !dependsOnStory && before.row.type === after.row.type && before.row.item === after.row.item
}

const isOpen = (item: ApprovalItem): boolean => item.decision === null && !item.isExpired

/** Only results that matter get a glyph. */
function markOf(row: TranscriptRow, story: SessionStory): SessionStatus | null {
  switch (row.type) {
    case 'tool':
      if (row.item.status === 'failed') return 'failed'
      if (row.item.status === 'running') return 'running'
      if (row.item.status === 'unknown') return 'interrupted'
      return toolKind(row.item.toolName) === 'command' ? 'completed' : null
    case 'subagent': {
      const status = story.tree.get(row.agentKey)?.status ?? row.item.status
      if (status === 'waiting') return 'waiting_approval'
      if (status === 'done') return 'completed'
      return status === 'unknown' ? 'interrupted' : status
    }
    case 'approval':
      return isOpen(row.item) ? 'waiting_approval' : null
    case 'turn':
      return outcomeWords[row.item.ended.outcome].state
    case 'notice':
      return row.item.tone === 'interrupted' ? 'interrupted' : null
    default:
      return null
  }
}
