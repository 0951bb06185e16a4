import { type CostRow, formatDuration, formatSpent, type SubagentNode, type ToolItem } from '@quarterdeck/protocol'
import { toolSummary } from '../../../stores/transcript/tool-call.ts'
import { ToolIcon } from './tool-icon.tsx'

interface SubagentLineProps {
  readonly item: ToolItem
  readonly node: SubagentNode | undefined
  readonly cost: CostRow | undefined
  readonly onShow: () => void
}

/** The name of a subagent and its one-sentence result. A click shows its transcript. */
export function SubagentLine({ item, node, cost, onShow }: SubagentLineProps) {
  const head = toolSummary(item.toolName, item.toolInput)
  const name = node?.agentType ?? head.name
  return (
    <div className="tool">
      <button type="button" className="tool-head" onClick={onShow} aria-label={`Show what ${name} did`}>
        <ToolIcon kind="agent" />
        <b>{name}</b>
        <span className="ellipsis grow text-2">{node?.activity || head.detail}</span>
        <span className="facts">
          {node !== undefined && node.toolCalls > 0 && (
            <span>{node.toolCalls === 1 ? '1 call' : `${node.toolCalls} calls`}</span>
          )}
          {cost !== undefined && <span>{formatSpent(cost)}</span>}
          {item.durationMs !== null && <span>{formatDuration(item.durationMs)}</span>}
        </span>
      </button>
    </div>
  )
}
