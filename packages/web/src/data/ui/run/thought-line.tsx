import { visibleText } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'

/** What the model thought or said on the way: one muted line, closed. It never counts as an answer. */
export function ThoughtLine({ text, isThinking }: { readonly text: string; readonly isThinking: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <button type="button" className="plain think" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isThinking ? 'Thinking' : 'What it thought'}
        <Chevron className="icon s" aria-hidden="true" />
      </button>
      {isOpen && <div className="thought">{visibleText(text)}</div>}
    </div>
  )
}
