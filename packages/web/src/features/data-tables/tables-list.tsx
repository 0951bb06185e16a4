import { visibleText } from '@quarterdeck/protocol'
import { Table2 } from 'lucide-react'
import { countWords } from '../../analysis/count-words.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import { formatBytes } from '../../ui/format-bytes.ts'
import { type TableActs, TableMenu } from './table-menu.tsx'

interface TablesListProps {
  readonly tables: readonly KeptTable[]
  readonly acts: TableActs
}

export function TablesList({ tables, acts }: TablesListProps) {
  return (
    <ul className="data-rows" aria-label="Tables">
      {tables.map((table) => {
        const { name, columns, source, neverSent, rejectedCount, isKept } = table
        return (
          <li key={name} className="data-row" data-table={name}>
            <Table2 className="icon" aria-hidden="true" />
            <div className="grow">
              {/* Not bold: the bold names above lead to an analysis, this one leads nowhere. */}
              <p className="cut">
                <bdi>{visibleText(name)}</bdi>
              </p>
              <small className="num">
                <span>{countWords(table.rowCount, 'row')}</span>
                <span>{countWords(columns.length, 'column')}</span>
                {neverSent.length > 0 && <span>{neverSent.length} never sent</span>}
                <span className="drop-narrow">
                  {visibleText(source.file)}, {formatBytes(source.sizeBytes)}
                </span>
                {!isKept && <span>only until this page is left</span>}
              </small>
            </div>
            {rejectedCount > 0 && (
              <button type="button" className="plain link num" onClick={() => acts.onRejected(name)}>
                {countWords(rejectedCount, 'row')} rejected
              </button>
            )}
            <TableMenu table={table} acts={acts} />
          </li>
        )
      })}
    </ul>
  )
}
