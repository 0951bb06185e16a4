import { useState } from 'react'
import type { ReadResult } from '../../analysis/engine.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { formatDuration } from '../../ui/format-duration.ts'
import { RowsGrid } from '../../ui/rows-grid.tsx'
import { TableNameForm } from '../../ui/table-name-form.tsx'

interface SqlResultProps {
  readonly result: ReadResult
  /** Names that tables have. */
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
    <div className="sql-result">
      <div className="row">
        <span className="muted num grow" role="status">
          Ran in {formatDuration(result.elapsedMs)}
        </span>
        {added !== null && <span className="text-2">Added as {added}</span>}
        <Button look={['s', 'quiet']} disabled={!isWhole || isBusy} onClick={() => setNaming(!isNaming)}>
          Use as table
        </Button>
        <Button look={['s', 'quiet']} onClick={onExport}>
          Export CSV
        </Button>
      </div>
      {!isWhole && <p className="muted">Only a result that is here as a whole can become a table.</p>}
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
