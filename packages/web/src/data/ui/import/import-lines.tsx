import { visibleText } from '@quarterdeck/protocol'
import { Check, X } from 'lucide-react'
import { Button } from '../../../components/controls/button.tsx'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { FailedFiles, type FailedImport } from './failed-files.tsx'
import { rejectedOf, stageLabel, stageProgress } from './state/import-labels.ts'
import type { Import, ImportState } from './state/import-list.ts'
import type { Imports } from './state/imports.ts'

interface ImportLinesProps {
  readonly imports: Imports
  readonly onRejected: (table: string) => void
}

/** One line per imported file with its current stage. Failed files come first. */
export function ImportLines({ imports, onRejected }: ImportLinesProps) {
  const lines = useStore(imports).filter(({ state }) => state.kind !== 'review')
  const failed = lines.filter(isFailed)
  const others = lines.filter((line) => !isFailed(line))
  const arrived = useStore(imports.arrived)
  return (
    <>
      <ul className="stack import-lines" aria-label="Files being added" hidden={lines.length === 0}>
        {failed.length > 0 && (
          <li>
            <FailedFiles failed={failed} imports={imports} />
          </li>
        )}
        {others.map((line) => (
          <li key={line.id}>
            <Line line={line} imports={imports} onRejected={onRejected} />
          </li>
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {arrived.map(addedLabel).join('. ')}
      </p>
    </>
  )
}

const addedLabel = ({ name, rowCount }: ImportedTable): string =>
  `${visibleText(name)} added, ${countLabel(rowCount, 'row')}`

const isFailed = (line: Import): line is FailedImport => line.state.kind === 'failed'

function Line({ line, imports, onRejected }: ImportLinesProps & { readonly line: Import }) {
  const { state, file, id } = line
  const dismiss = () => imports.dismiss(id)
  switch (state.kind) {
    case 'working':
      return <ImportProgress file={visibleText(file.name)} state={state} onCancel={dismiss} />
    case 'added':
      return (
        <AddedTables file={visibleText(file.name)} tables={state.tables} onRejected={onRejected} onClose={dismiss} />
      )
    case 'failed':
    case 'review':
      return null
  }
}

interface ImportProgressProps {
  readonly file: string
  readonly state: Extract<ImportState, { kind: 'working' }>
  readonly onCancel: () => void
}

function ImportProgress({ file, state, onCancel }: ImportProgressProps) {
  const progress = stageProgress(state.stage)
  return (
    <div className="import-line" role="status">
      <StateGlyph state="running" />
      <span className="grow">
        <b className="ellipsis">{file}</b>
        <span className="import-stages">
          {stageLabel(state)}{' '}
          {progress !== null && (
            <span className="muted num">
              {progress.at} of {progress.of}
            </span>
          )}
        </span>
      </span>
      {state.stage !== 'profiling' && (
        <QuietButton aria-label={`Cancel ${file}`} onClick={onCancel}>
          Cancel
        </QuietButton>
      )}
    </div>
  )
}

interface AddedTablesProps extends Pick<ImportLinesProps, 'onRejected'> {
  readonly file: string
  readonly tables: readonly ImportedTable[]
  readonly onClose: () => void
}

function AddedTables({ file, tables, onRejected, onClose }: AddedTablesProps) {
  return (
    <div className="import-line">
      <Check className="icon s success" aria-hidden="true" />
      <span className="grow">
        {tables.map((table) => (
          <span className="import-added" key={table.name}>
            <b className="ellipsis">{visibleText(table.name)}</b>
            <span className="muted num">added, {countLabel(table.rowCount, 'row')}</span>
            {table.rejectedCount > 0 && (
              <button type="button" className="plain link num" onClick={() => onRejected(table.name)}>
                {rejectedOf(table)}
              </button>
            )}
            {!table.isKept && <span className="muted">only until you close this page</span>}
          </span>
        ))}
      </span>
      <Button variant={['s', 'quiet', 'square']} aria-label={`Dismiss: ${file} was added`} onClick={onClose}>
        <X className="icon s" aria-hidden="true" />
      </Button>
    </div>
  )
}
