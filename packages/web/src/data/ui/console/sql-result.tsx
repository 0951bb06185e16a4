import { formatDuration } from '@quarterdeck/protocol'
import { useState } from 'react'
import { useAction } from '../../../hooks/use-action.ts'
import type { ReadResult } from '../../domain/query-engine.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { TableNameForm } from '../controls/table-name-form.tsx'
import { RowsGrid } from '../grid/rows-grid.tsx'

interface SqlResultProps {
  readonly result: ReadResult
  /** Names of all tables. */
  readonly taken: readonly string[]
  readonly onUseAsTable: (name: string) => Promise<void>
  readonly onExport: () => void
}

export function SqlResult({ result, taken, onUseAsTable, onExport }: SqlResultProps) {
  const [isNaming, setNaming] = useState(false)
  const [added, setAdded] = useState<string | null>(null)
  const { run, isBusy, failure } = useAction()
  const isWhole = result.ipc !== null
  return (
    <div className="stack sql-result">
      <div className="row">
        <span className="muted num grow" role="status">
          Ran in {formatDuration(result.elapsedMs)}
        </span>
        {added !== null && <span className="text-2">Added as {added}</span>}
        <QuietButton disabled={!isWhole || isBusy} onClick={() => setNaming(!isNaming)}>
          Use as table
        </QuietButton>
        <QuietButton onClick={onExport}>Export CSV</QuietButton>
      </div>
      {!isWhole && <p className="muted">Only a complete result can become a table.</p>}
      {isNaming && (
        <TableNameForm
          suggestion="my_rows"
          taken={taken}
          disabled={isBusy}
          onName={(name) => {
            setNaming(false)
            void run(async () => {
              await onUseAsTable(name)
              setAdded(name)
            })
          }}
          onBack={() => setNaming(false)}
        />
      )}
      {failure !== null && (
        <p className="step-error" role="alert">
          {failure.message}
        </p>
      )}
      <RowsGrid rows={result} total={result.rowCount} label="Rows of your query" />
    </div>
  )
}
