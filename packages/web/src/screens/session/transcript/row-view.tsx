import { cutOffText, type TextItem, type UserItem } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { Markdown } from '../../../components/markdown/markdown.tsx'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { turnCost } from '../../../stores/session/turn-costs.ts'
import { isWaiting, type TranscriptRow } from '../../../stores/transcript/transcript-rows.ts'
import { ClientCallLine } from './client-call-line.tsx'
import { EventRow } from './event-row.tsx'
import { markOf } from './mark-of.ts'
import { MessageMenu } from './message-menu.tsx'
import { NoticeLine } from './notice-line.tsx'
import type { RowActions } from './row-actions.ts'
import { SubagentLine } from './subagent-line.tsx'
import { ToolGroup } from './tool-group.tsx'
import { ToolLine } from './tool-line.tsx'
import { TurnLine } from './turn-line.tsx'
import { UserBand } from './user-band.tsx'

interface RowViewProps {
  readonly row: TranscriptRow
  readonly projection: SessionProjection
  readonly actions: RowActions
  /** `forgotten`: in the log, but no longer in the conversation. `earlier`: from another session. */
  readonly variant?: 'forgotten' | 'earlier' | undefined
}

export const RowView = memo(function RowView({ row, projection, actions, variant }: RowViewProps) {
  const seq = row.type === 'tool-group' ? (row.items[0]?.seq ?? null) : row.item.seq
  const state = markOf(row, projection)
  const tone = variant ?? (isWaiting(row) ? 'waits' : undefined)
  return (
    <EventRow
      seq={variant === 'earlier' ? null : seq}
      mark={state === null ? undefined : <StateGlyph state={state} />}
      tone={tone}
    >
      {content()}
    </EventRow>
  )

  function content(): ReactNode {
    const folder = projection.session.cwd
    switch (row.type) {
      case 'user':
        return <UserBand item={row.item} menu={menuOf(row.item)} />
      case 'text':
        return <MessageText item={row.item} menu={menuOf(row.item)} />
      case 'thinking':
        return <ThinkingLine item={row.item} seconds={row.seconds} />
      case 'tool':
        return <ToolLine item={row.item} folder={folder} approval={row.approval} />
      case 'tool-group':
        return <ToolGroup items={row.items} folder={folder} />
      case 'subagent': {
        const cost = projection.costs.byAgent.get(row.agentKey)
        const node = projection.tree.get(row.agentKey)
        const show = () => actions.onShowAgent(row.agentKey)
        return <SubagentLine item={row.item} node={node} cost={cost} onShow={show} />
      }
      case 'approval':
      case 'question':
        return actions.renderAsk(row.item)
      case 'client-call':
        return <ClientCallLine item={row.item} />
      case 'notice':
        return <NoticeLine item={row.item} />
      case 'turn': {
        const cost = turnCost(projection.turnCosts, row.item.seq ?? 0)
        return <TurnLine item={row.item} outcome={row.outcome} cost={cost} folder={folder} />
      }
    }
  }

  function menuOf(item: UserItem | TextItem): ReactNode {
    const isForkable = item.seq !== null && item.agent === null && (item.type === 'user' || item.discarded === null)
    if (variant !== undefined || !isForkable) return null
    return <MessageMenu item={item} onMessage={actions.onMessage} />
  }
}, showsTheSame)

function MessageText({ item, menu }: { readonly item: TextItem; readonly menu: ReactNode }) {
  return (
    <div className="said">
      <div className={item.isStreaming ? 'say grow streaming' : 'say grow'}>
        <Markdown text={item.text} />
        {item.discarded !== null && <p className="muted">{cutOffText(item.discarded)}</p>}
      </div>
      {menu}
    </div>
  )
}

/** One muted, collapsed line: thinking is not part of the answer. */
function ThinkingLine({ item, seconds }: { readonly item: TextItem; readonly seconds: number | null }) {
  const [isOpen, setOpen] = useState(false)
  const label = item.isStreaming ? 'Thinking' : seconds === null ? 'Thought' : `Thought for ${seconds} s`
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <button type="button" className="plain think" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <Chevron className="icon s" aria-hidden="true" />
      </button>
      {isOpen && <div className="thought">{item.text}</div>}
    </div>
  )
}

/**
 * Most rows depend on their item only and do not render again when others change. A new `renderAsk` matters only to
 * asks, which always render again.
 */
function showsTheSame(before: RowViewProps, after: RowViewProps): boolean {
  if (before.variant !== after.variant || before.actions.onShowAgent !== after.actions.onShowAgent) return false
  if (before.actions.onMessage !== after.actions.onMessage) return false
  if (before.projection.session.cwd !== after.projection.session.cwd) return false
  if (before.row.type === 'tool-group' && after.row.type === 'tool-group') {
    const { items } = after.row
    return before.row.items.length === items.length && before.row.items.every((item, index) => item === items[index])
  }
  if (before.row.type === 'tool-group' || after.row.type === 'tool-group') return false
  if (before.row.type === 'tool' && after.row.type === 'tool' && before.row.approval !== after.row.approval)
    return false
  const dependsOnProjection = ['subagent', 'approval', 'question', 'turn'].includes(after.row.type)
  return !dependsOnProjection && before.row.type === after.row.type && before.row.item === after.row.item
}
