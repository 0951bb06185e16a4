import { visibleText } from '@quarterdeck/protocol'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { useAction } from '../../../hooks/use-action.ts'
import { countLabel } from '../../domain/count-label.ts'
import { type DataServices, LockNotStored } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { useTableProfile } from '../use-table-profile.ts'
import { ColumnRow } from './column-row.tsx'
import { type TableActions, TableMenu } from './table-menu.tsx'

interface TableSectionProps {
  readonly services: DataServices
  readonly table: ImportedTable
  readonly actions: TableActions
  /** The answers of this analysis are based on another file with this name. */
  readonly isOtherFile: boolean
}

const shownAtFirst = 40

export function TableSection({ services, table, actions, isOtherFile }: TableSectionProps) {
  const [isOpen, setOpen] = useState(true)
  const id = useId()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <section className="table-block" aria-labelledby={id} data-table={table.name}>
      <div className="row table-head">
        <h3 id={id} className="grow">
          <button type="button" className="plain row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Chevron className="icon s" aria-hidden="true" />
            <bdi className="ellipsis">{visibleText(table.name)}</bdi>
          </button>
        </h3>
        <span className="caption num">{countLabel(table.rowCount, 'row')}</span>
        <TableMenu table={table} actions={actions} />
      </div>
      {isOtherFile && <p className="table-note caption">Not the file that the answers are based on.</p>}
      {table.joinsByHand && (
        <p className="table-note caption">
          Created from rows while columns are locked. Not in scope until you select it.
        </p>
      )}
      {table.rejectedCount > 0 && (
        <p className="table-note caption">
          <button type="button" className="plain link num" onClick={() => actions.onRejected(table.name)}>
            {countLabel(table.rejectedCount, 'row')} rejected
          </button>
        </p>
      )}
      {isOpen && <Columns services={services} table={table} />}
    </section>
  )
}

function Columns({ services, table }: Pick<TableSectionProps, 'services' | 'table'>) {
  const { profile, failure, again } = useTableProfile(services, table)
  const lock = useAction()
  const [showsAll, setShowsAll] = useState(false)
  const columns = showsAll ? table.columns : table.columns.slice(0, shownAtFirst)

  const setNeverSent = (column: string, isNeverSent: boolean) =>
    void lock.run(() => {
      const others = table.neverSent.filter((name) => name !== column)
      return services.setNeverSent(table.name, isNeverSent ? [...others, column] : others)
    })

  return (
    <>
      {/* biome-ignore lint/a11y/noRedundantRoles: some screen readers ignore lists without markers */}
      <ul className="columns" role="list" aria-label={`Columns of ${visibleText(table.name)}`}>
        {columns.map((column) => (
          <ColumnRow
            key={column.name}
            column={column}
            profile={profile?.columns.find((one) => one.column.name === column.name) ?? null}
            rowCount={table.rowCount}
            isNeverSent={table.neverSent.includes(column.name)}
            disabled={lock.isBusy}
            onNeverSent={(isNeverSent) => setNeverSent(column.name, isNeverSent)}
          />
        ))}
      </ul>
      {columns.length < table.columns.length && (
        <QuietButton onClick={() => setShowsAll(true)}>Show all {table.columns.length} columns</QuietButton>
      )}
      {failure !== null && (
        <p className="table-note caption">
          Could not be profiled: {failure.message}{' '}
          <button type="button" className="plain link" onClick={again}>
            Try again
          </button>
        </p>
      )}
      {lock.failure !== null && (
        <p className="table-note caption failure" role="alert">
          {lock.failure.cause instanceof LockNotStored ? '' : 'Not changed: '}
          {lock.failure.message}
        </p>
      )}
    </>
  )
}
