import type { SessionStatus, TextItem, UserItem } from '@quarterdeck/protocol'
import { memo, type ReactNode } from 'react'
import type { SessionStory } from '../../state/session-story.ts'
import { toolKind } from '../../state/tool-call.ts'
import type { TranscriptRow } from '../../state/transcript-rows.ts'
import { turnCost } from '../../state/turn-costs.ts'
import { StateGlyph } from '../../ui/state-glyph.tsx'
import { ClientCallLine } from './client-call-line.tsx'
import { EventRow } from './event-row.tsx'
import { MessageMenu } from './message-menu.tsx'
import { MessageText } from './message-text.tsx'
import { NoticeLine } from './notice-line.tsx'
import { outcomeWords } from './outcome-words.ts'
import type { RowActs } from './row-acts.ts'
import { SubagentLine } from './subagent-line.tsx'
import { ThinkingLine } from './thinking-line.tsx'
import { ToolFold } from './tool-fold.tsx'
import { ToolLine } from './tool-line.tsx'
import { TurnLine } from './turn-line.tsx'
import { UserBand } from './user-band.tsx'

interface RowViewProps {
  readonly row: TranscriptRow
  readonly story: SessionStory
  readonly acts: RowActs
  /** `forgotten`: the log has it, the conversation no longer. `earlier`: another session's. */
  readonly look?: 'forgotten' | 'earlier'
}

export const RowView = memo(function RowView({ row, story, acts, look }: RowViewProps) {
  const seq = row.type === 'fold' ? (row.items[0]?.seq ?? null) : row.item.seq
  const state = markOf(row, story)
  const tone = look ?? (isWaiting(row) ? 'waits' : undefined)
  return (
    <EventRow
      seq={look === 'earlier' ? null : seq}
      mark={state === null ? undefined : <StateGlyph state={state} />}
      {...(tone === undefined ? {} : { tone })}
    >
      {content()}
    </EventRow>
  )

  function content(): ReactNode {
    const folder = story.session.cwd
    switch (row.type) {
      case 'user':
        return <UserBand item={row.item} menu={menuOf(row.item)} />
      case 'text':
        return <MessageText item={row.item} menu={menuOf(row.item)} />
      case 'thinking':
        return <ThinkingLine item={row.item} seconds={row.seconds} />
      case 'tool':
        return <ToolLine item={row.item} folder={folder} approval={row.approval} />
      case 'fold':
        return <ToolFold items={row.items} folder={folder} />
      case 'subagent': {
        const cost = story.costs.byAgent.get(row.agentKey)
        const node = story.tree.get(row.agentKey)
        const show = () => acts.onShowAgent(row.agentKey)
        return <SubagentLine item={row.item} node={node} cost={cost} onShow={show} />
      }
      case 'approval':
      case 'question':
        return acts.renderAsk(row.item)
      case 'client-call':
        return <ClientCallLine item={row.item} />
      case 'notice':
        return <NoticeLine item={row.item} />
      case 'turn': {
        const cost = turnCost(story.turnCosts, row.item.seq ?? 0)
        return <TurnLine item={row.item} outcome={row.outcome} cost={cost} folder={folder} />
      }
    }
  }

  function menuOf(item: UserItem | TextItem): ReactNode {
    const isForkable = item.seq !== null && item.agent === null && (item.type === 'user' || item.discarded === null)
    if (look !== undefined || !isForkable) return null
    return <MessageMenu item={item} onMessage={acts.onMessage} />
  }
}, showsTheSame)

/**
 * Most rows are their item and nothing else: they are left alone while others change. A new `renderAsk` matters to what
 * asks people only, and those are always drawn again.
 */
function showsTheSame(before: RowViewProps, after: RowViewProps): boolean {
  if (before.look !== after.look || before.acts.onShowAgent !== after.acts.onShowAgent) return false
  if (before.acts.onMessage !== after.acts.onMessage) return false
  if (before.story.session.cwd !== after.story.session.cwd) return false
  if (before.row.type === 'fold' && after.row.type === 'fold') {
    const { items } = after.row
    return before.row.items.length === items.length && before.row.items.every((item, place) => item === items[place])
  }
  if (before.row.type === 'fold' || after.row.type === 'fold') return false
  if (before.row.type === 'tool' && after.row.type === 'tool' && before.row.approval !== after.row.approval)
    return false
  const dependsOnStory = ['subagent', 'approval', 'question', 'turn'].includes(after.row.type)
  return !dependsOnStory && before.row.type === after.row.type && before.row.item === after.row.item
}

function isWaiting(row: TranscriptRow): boolean {
  switch (row.type) {
    case 'approval':
      return row.item.decision === null && !row.item.isExpired
    case 'question':
      return row.item.answer === null && !row.item.isExpired
    case 'client-call':
      return row.item.result === null && !row.item.isExpired
    default:
      return false
  }
}

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
      return isWaiting(row) ? 'waiting_approval' : null
    case 'question':
      return isWaiting(row) ? 'waiting_user' : null
    case 'client-call':
      if (isWaiting(row)) return 'waiting_client'
      return row.item.isExpired || row.item.result?.isError === true ? 'failed' : null
    case 'turn':
      return outcomeWords[row.item.ended.outcome].state
    case 'notice':
      return row.item.tone === 'interrupted' ? 'interrupted' : null
    default:
      return null
  }
}
