import { parseJson, visibleText } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { CopyButton } from '../../../components/controls/copy-button.tsx'
import { downloadFile } from '../../../components/controls/download-file.ts'
import { useModal } from '../../../components/controls/use-modal.ts'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import type { Analysis, SentEntry } from '../../domain/analysis.ts'
import { sentRowsLabel } from '../../domain/sent-entries.ts'
import { fileName } from '../../export/file-name.ts'
import { SmallButton } from '../controls/small-button.tsx'

/** Lists everything that left this browser for the analysis, word for word. */
export function SentLogDrawer({ analysis, onClose }: { readonly analysis: Analysis; readonly onClose: () => void }) {
  const modal = useModal(onClose)
  const id = useId()
  const sent = byTimeSent(analysis.sent)
  const bytes = sent.reduce((sum, entry) => sum + entry.bytes, 0)
  return (
    <dialog className="dialog drawer overlay" aria-labelledby={id} {...modal}>
      <header className="pane-head">
        <h2 id={id} className="grow">
          What was sent
        </h2>
        <Button variant={['s', 'quiet', 'square']} aria-label="Close" onClick={onClose}>
          <X className="icon" aria-hidden="true" />
        </Button>
      </header>
      <div className="row drawer-sum">
        <p className="text-2 grow">
          {sent.length === 0
            ? 'Nothing has left this browser for this analysis.'
            : `${sent.length} ${sent.length === 1 ? 'message' : 'messages'}, ${formatBytes(bytes)}. This is everything, exactly as it was sent.`}
        </p>
        <SmallButton
          disabled={sent.length === 0}
          onClick={() =>
            downloadFile(fileName(analysis.title, 'json', 'sent'), [sentLogFile(analysis)], 'application/json')
          }
        >
          Export as JSON
        </SmallButton>
      </div>
      <ol className="scroll sent-list" aria-label="What was sent">
        {sent.map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
          <Entry key={index} entry={entry} />
        ))}
      </ol>
    </dialog>
  )
}

function Entry({ entry }: { readonly entry: SentEntry }) {
  const [isOpen, setOpen] = useState(false)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <li>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Chevron className="icon s" aria-hidden="true" />
        <span className="muted num">{new Date(entry.at).toLocaleTimeString('en-GB')}</span>
        <b>{sentEntryLabel(entry)}</b>
        <span className="facts">
          <span>{sentRowsLabel(entry)}</span>
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

export function sentEntryLabel({ what, step }: SentEntry): string {
  switch (what) {
    case 'question':
      return 'Question and tables'
    case 'result':
      return step === null ? 'Answer to a call' : `Result of step ${step}`
    case 'error':
      return step === null ? 'Error' : `Error of step ${step}`
    case 'other':
      return 'Request without data'
  }
}

/** By time, then by step. */
export const byTimeSent = (sent: readonly SentEntry[]): readonly SentEntry[] =>
  [...sent].sort((one, other) =>
    one.at === other.at ? (one.step ?? 0) - (other.step ?? 0) : one.at < other.at ? -1 : 1,
  )

/** Formatted JSON for display; other text is unchanged. */
export function prettyBody(body: string): string {
  if (body === '') return '(no body)'
  const value = parseJson(body)
  return value === undefined ? body : JSON.stringify(value, null, 2)
}

/** For audits: bodies stay the exact text, so that bytes can be counted again. */
export const sentLogFile = ({ id, title, sent }: Analysis): string =>
  `${JSON.stringify({ analysis: id, title, sent: byTimeSent(sent) }, null, 2)}\n`
