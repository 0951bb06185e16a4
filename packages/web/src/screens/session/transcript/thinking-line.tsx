import type { TextItem } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'

/** One muted, collapsed line: thinking is not part of the answer. */
export function ThinkingLine({ item, seconds }: { readonly item: TextItem; readonly seconds: number | null }) {
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
