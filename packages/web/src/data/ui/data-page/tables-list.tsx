import { visibleText } from '@quarterdeck/protocol'
import { Table2 } from 'lucide-react'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { type TableActions, TableMenu } from '../tables/table-menu.tsx'

interface TablesListProps {
  readonly tables: readonly ImportedTable[]
  readonly actions: TableActions
}

export function TablesList({ tables, actions }: TablesListProps) {
  return (
    <ul className="data-rows" aria-label="Tables">
      {tables.map((table) => {
        const { name, columns, source, neverSent, rejectedCount, isKept } = table
        return (
          <li key={name} className="row data-row" data-table={name}>
            <Table2 className="icon" aria-hidden="true" />
            <div className="grow">
              {/* Not bold: the bold names above lead to an analysis, this one leads nowhere. */}
              <p className="ellipsis">
                <bdi>{visibleText(name)}</bdi>
              </p>
              <small className="facts-row caption num">
                <span>{countLabel(table.rowCount, 'row')}</span>
                <span>{countLabel(columns.length, 'column')}</span>
                {neverSent.length > 0 && <span>{neverSent.length} never sent</span>}
                <span className="drop-narrow">
                  {visibleText(source.file)}, {formatBytes(source.sizeBytes)}
                </span>
                {!isKept && <span>only until you close this page</span>}
              </small>
            </div>
            {rejectedCount > 0 && (
              <button type="button" className="plain link num" onClick={() => actions.onRejected(name)}>
                {countLabel(rejectedCount, 'row')} rejected
              </button>
            )}
            <TableMenu table={table} actions={actions} />
          </li>
        )
      })}
    </ul>
  )
}
