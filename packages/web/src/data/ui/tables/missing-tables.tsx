import { visibleText } from '@quarterdeck/protocol'
import { FileX } from 'lucide-react'
import { countLabel } from '../../domain/count-label.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { SmallButton } from '../controls/small-button.tsx'

interface MissingTablesProps {
  readonly tables: readonly ImportedTable[]
  readonly onReattach: (table: ImportedTable) => void
  readonly onRemove: (table: ImportedTable) => void
}

/** Tables whose file is no longer in this browser and must be chosen again. */
export function MissingTables({ tables, onReattach, onRemove }: MissingTablesProps) {
  if (tables.length === 0) return null
  return (
    <ul className="missing" aria-label="Tables with a missing file">
      {tables.map((table) => (
        <li key={table.name}>
          <p className="row">
            <FileX className="icon s" aria-hidden="true" />
            <bdi className="ellipsis grow">{visibleText(table.name)}</bdi>
            <span className="muted num">{countLabel(table.rowCount, 'row')}</span>
          </p>
          <p className="muted">The file is no longer in this browser.</p>
          <div className="actions">
            <SmallButton onClick={() => onReattach(table)}>Re-attach {visibleText(table.source.file)}</SmallButton>
            <QuietButton aria-label={`Forget ${visibleText(table.name)}`} onClick={() => onRemove(table)}>
              Forget
            </QuietButton>
          </div>
        </li>
      ))}
    </ul>
  )
}
