import { formatDuration, type ToolItem } from '@quarterdeck/protocol'
import { Files } from 'lucide-react'
import { useState } from 'react'
import { toolSummary } from '../../../stores/transcript/tool-call.ts'
import { ToolLine } from './tool-line.tsx'

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
