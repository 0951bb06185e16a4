import { type ApprovalItem, formatDuration, type ToolItem, visibleText } from '@quarterdeck/protocol'
import { useState } from 'react'
import { ChangeCount } from '../../../components/content/change-count.tsx'
import { DiffView } from '../../../components/content/diff-view.tsx'
import { OutputBlock } from '../../../components/content/output-block.tsx'
import { decisionLabel } from '../../../stores/asks/decision-label.ts'
import { fileChangeOf } from '../../../stores/transcript/file-change.ts'
import { toolFacts, toolSummary } from '../../../stores/transcript/tool-call.ts'
import { ToolIcon } from './tool-icon.tsx'

interface ToolLineProps {
  readonly item: ToolItem
  readonly folder: string
  /** The approval that allowed the call. */
  readonly approval?: ApprovalItem | null
}

/** A finished call is one line, and a failed call is expanded. A click toggles either. */
export function ToolLine({ item, folder, approval = null }: ToolLineProps) {
  const [choice, setChoice] = useState<boolean | null>(null)
  const isFailed = item.status === 'failed'
  const isOpen = choice ?? isFailed
  const head = toolSummary(item.toolName, item.toolInput, folder)
  const facts = toolFacts(item)
  return (
    <div className={`tool${isOpen ? ' open' : ''}${isFailed ? ' failed' : ''}`}>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setChoice(!isOpen)}>
        <ToolIcon kind={head.kind} />
        <b>{head.name}</b>
        <span className="ellipsis grow">
          {head.detail !== '' && head.kind === 'mcp' && <span className="text-2">{head.detail} </span>}
          {head.code !== '' && <code>{visibleText(head.code)}</code>}
          {head.detail !== '' && head.kind !== 'mcp' && <span className="muted"> {head.detail}</span>}
        </span>
        <span className="facts">
          {approval !== null && <span className="wide-only">{decisionLabel(approval)}</span>}
          {(facts.added > 0 || facts.removed > 0) && <ChangeCount added={facts.added} removed={facts.removed} />}
          {facts.detail !== '' && <span className={isFailed ? 'failure' : ''}>{facts.detail}</span>}
          {item.status === 'failed' && facts.detail === '' && <span className="failure">failed</span>}
          {item.status === 'unknown' && <span>outcome unknown, may have run</span>}
          {item.status === 'running' && <span>running</span>}
          {item.durationMs !== null && <span>{formatDuration(item.durationMs)}</span>}
        </span>
      </button>
      {isOpen && <Body item={item} />}
    </div>
  )
}

/** The summary cuts long commands, so the body shows them in full. */
const isCutInSummary = ({ toolName, toolInput: { command } }: ToolItem): boolean =>
  toolName === 'Bash' && typeof command === 'string' && (command.length > 72 || command.includes('\n'))

function Body({ item }: { readonly item: ToolItem }) {
  const change = fileChangeOf(item.toolName, item.toolInput, item.output)
  const isPlain = change === null && item.toolName !== 'Bash'
  return (
    <>
      {isPlain && <OutputBlock text={JSON.stringify(item.toolInput, null, 2)} />}
      {isCutInSummary(item) && <div className="out scroll">{visibleText(String(item.toolInput.command))}</div>}
      {change?.diffs.map((diff, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the edits of one call keep their order
        <DiffView key={index} lines={diff.lines} />
      ))}
      {item.output !== null && (change === null || item.status === 'failed') && <OutputBlock text={item.output} />}
    </>
  )
}
