import { visibleText } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight, X } from 'lucide-react'
import { useId, useState } from 'react'
import type { Analysis, LedgerEntry } from '../../analysis/analysis.ts'
import { fileName } from '../../analysis/export/file-name.ts'
import { sentRowsWords } from '../../analysis/sent-rows-words.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { downloadFile } from '../../ui/download-file.ts'
import { formatBytes } from '../../ui/format-bytes.ts'
import { useModal } from '../../ui/use-modal.ts'
import { byTimeSent, ledgerFile, ledgerWords, prettyBody } from './ledger-words.ts'

interface LedgerDrawerProps {
  readonly analysis: Analysis
  readonly onClose: () => void
}

/** Everything that left this browser for the analysis, word for word: the proof behind the sentence on screen. */
export function LedgerDrawer({ analysis, onClose }: LedgerDrawerProps) {
  const modal = useModal(onClose)
  const id = useId()
  const ledger = byTimeSent(analysis.ledger)
  const bytes = ledger.reduce((sum, entry) => sum + entry.bytes, 0)
  return (
    <dialog className="drawer overlay" aria-labelledby={id} {...modal}>
      <header className="pane-head">
        <h2 id={id} className="grow">
          What was sent
        </h2>
        <Button look={['s', 'quiet', 'square']} aria-label="Close" onClick={onClose}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </header>
      <div className="drawer-sum">
        <p className="text-2 grow">
          {ledger.length === 0
            ? 'Nothing has left this browser for this analysis.'
            : `${ledger.length} ${ledger.length === 1 ? 'message' : 'messages'}, ${formatBytes(bytes)}. This is all of it, exactly as it left.`}
        </p>
        <Button
          look={['s']}
          disabled={ledger.length === 0}
          onClick={() =>
            downloadFile(fileName(analysis.title, 'json', 'sent'), [ledgerFile(analysis)], 'application/json')
          }
        >
          Export as JSON
        </Button>
      </div>
      <ol className="scroll ledger" aria-label="What was sent">
        {ledger.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
          <Entry key={place} entry={entry} />
        ))}
      </ol>
    </dialog>
  )
}

function Entry({ entry }: { readonly entry: LedgerEntry }) {
  const [isOpen, setOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <li>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Chevron className="icon s" aria-hidden="true" />
        <span className="muted num">{new Date(entry.at).toLocaleTimeString('en-GB')}</span>
        <b>{ledgerWords(entry)}</b>
        <span className="facts">
          <span>{sentRowsWords(entry)}</span>
          <span>level {entry.level}</span>
          <span>{formatBytes(entry.bytes)}</span>
        </span>
      </button>
      {isOpen && (
        <div className="code">
          {visibleText(prettyBody(entry.body))}
          <CopyButton text={entry.body} label="Copy what was sent" />
        </div>
      )}
    </li>
  )
}
