import { type ApprovalItem, formatDuration, type ToolItem, visibleText } from '@quarterdeck/protocol'
import { Files } from 'lucide-react'
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
          {facts.detail !== '' && <span className={isFailed ? 'minus' : ''}>{facts.detail}</span>}
          {item.status === 'failed' && facts.detail === '' && <span className="minus">failed</span>}
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

/** Consecutive calls of one kind on one line: "Read 4, Search 1". */
export function ToolGroup({ items, folder }: { readonly items: readonly ToolItem[]; readonly folder: string }) {
  const [isOpen, setOpen] = useState(false)
  const counts = new Map<string, number>()
  for (const item of items) {
    const { name } = toolSummary(item.toolName, item.toolInput, folder)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const took = items.reduce((total, item) => total + (item.durationMs ?? 0), 0)
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Files className="icon" aria-hidden="true" />
        <b>{[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}</b>
        <span className="ellipsis grow text-2">{subjectsOf(items, folder)}</span>
        <span className="facts">
          <span>{items.length} calls</span>
          <span>{formatDuration(took)}</span>
        </span>
      </button>
      {isOpen && (
        <div className="sub-calls">
          {items.map((item) => (
            <ToolLine key={item.key} item={item} folder={folder} />
          ))}
        </div>
      )}
    </div>
  )
}

const shown = 3

function subjectsOf(items: readonly ToolItem[], folder: string): string {
  const subjects = items.map((item) => {
    const { code } = toolSummary(item.toolName, item.toolInput, folder)
    return code.split('/').at(-1) ?? code
  })
  const more = subjects.length - shown
  return subjects.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
