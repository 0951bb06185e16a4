import './profile.css'
import { visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { TableProfile } from '../../domain/table-profile.ts'
import { ShowAll, useFirstOnes } from '../controls/show-all.tsx'
import { useTableProfile } from '../controls/use-table-profile.ts'
import { ColumnCard } from './column-card.tsx'

interface ProfileTabProps {
  readonly services: DataServices
  /** The one to show; without one, the first. */
  readonly table: string | null
  readonly onTable: (table: string) => void
  /** A person wants to add a file. */
  readonly onAdd: () => void
}

/** What a table is like, column by column, told without a model. */
export function ProfileTab({ services, table, onTable, onAdd }: ProfileTabProps) {
  const { tables } = useStore(services.tables)
  const id = useId()
  const shown = tables?.find(({ name }) => name === table) ?? tables?.[0]
  if (tables === null) return <Loading what="Bringing your tables back" />
  if (shown === undefined) {
    return (
      <div className="profile scroll">
        <div className="empty">
          <h2>No table to look at yet</h2>
          <p>Once a file is added, its columns are told here: ranges, gaps, frequent values. No model is asked.</p>
          <Button variant={['s']} onClick={onAdd}>
            Choose files
          </Button>
        </div>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable without a pointer
    <section className="profile scroll" aria-label={`Profile of ${visibleText(shown.name)}`} tabIndex={0}>
      <header className="profile-head">
        <h2 className={tables.length > 1 ? 'unseen' : 'cut'}>
          <bdi>{visibleText(shown.name)}</bdi>
        </h2>
        {tables.length > 1 && (
          <>
            <label htmlFor={id} className="unseen">
              Table
            </label>
            <select id={id} className="field" value={shown.name} onChange={({ target }) => onTable(target.value)}>
              {tables.map(({ name }) => (
                <option key={name} value={name}>
                  {visibleText(name)}
                </option>
              ))}
            </select>
          </>
        )}
      </header>
      <Profile key={shown.name} services={services} table={shown} />
    </section>
  )
}

function Profile({ services, table }: { readonly services: DataServices; readonly table: ImportedTable }) {
  const { profile, failure, again } = useTableProfile(services, table)
  if (failure !== null) {
    return (
      <ErrorCard what="This table could not be looked at" detail={failure.message} kept="the table itself.">
        <Button variant={['s']} onClick={again}>
          Try again
        </Button>
      </ErrorCard>
    )
  }
  if (profile === null) {
    return <Loading what={`Looking at ${countLabel(table.rowCount, 'row')} of ${table.name}`} />
  }
  const { rowCount, duplicateRows, columns } = profile
  return (
    <>
      <p className="profile-facts num">
        <span>{countLabel(rowCount, 'row')}</span>
        <span>{countLabel(columns.length, 'column')}</span>
        {duplicateRows !== null && (
          <span>{duplicateRows === 0 ? 'no row twice' : `${countLabel(duplicateRows, 'row')} twice or more`}</span>
        )}
        {table.rejectedCount > 0 && <span>{countLabel(table.rejectedCount, 'row')} rejected while reading</span>}
        <span>No model was asked</span>
      </p>
      <ColumnCards profile={profile} neverSent={table.neverSent} />
    </>
  )
}

interface ColumnCardsProps {
  readonly profile: TableProfile
  readonly neverSent: readonly string[]
}

function ColumnCards({ profile: { rowCount, columns }, neverSent }: ColumnCardsProps) {
  const { shown, onAll } = useFirstOnes(columns)
  return (
    <>
      <ul className="profile-columns">
        {shown.map((column) => (
          <ColumnCard
            key={column.column.name}
            profile={column}
            rowCount={rowCount}
            isNeverSent={neverSent.includes(column.column.name)}
          />
        ))}
      </ul>
      <ShowAll onAll={onAll} words={countLabel(columns.length, 'column')} />
    </>
  )
}
