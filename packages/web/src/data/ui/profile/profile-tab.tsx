import './profile.css'
import { visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import { countLabel } from '../../domain/count-label.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { TableProfile } from '../../domain/table-profile.ts'
import { ShowAll, useFirstOnes } from '../controls/show-all.tsx'
import { SmallButton } from '../controls/small-button.tsx'
import { useTableProfile } from '../use-table-profile.ts'
import { ColumnCard } from './column-card.tsx'

interface ProfileTabProps {
  readonly services: DataServices
  /** The table to show; by default the first. */
  readonly table: string | null
  readonly onTable: (table: string) => void
  /** The user wants to add a file. */
  readonly onAdd: () => void
}

/** The profile of a table by column, calculated without a model. */
export function ProfileTab({ services, table, onTable, onAdd }: ProfileTabProps) {
  const { tables } = useStore(services.tables)
  const id = useId()
  const shown = tables?.find(({ name }) => name === table) ?? tables?.[0]
  if (tables === null) return <Loading what="Restoring your tables" />
  if (shown === undefined) {
    return (
      <div className="profile scroll">
        <div className="empty">
          <h2>No table yet</h2>
          <p>Add a file to see its columns here: ranges, gaps and frequent values. No model is used.</p>
          <SmallButton onClick={onAdd}>Choose files</SmallButton>
        </div>
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="profile scroll" aria-label={`Profile of ${visibleText(shown.name)}`} tabIndex={0}>
      <header className="row profile-head">
        <h2 className={tables.length > 1 ? 'visually-hidden' : 'ellipsis'}>
          <bdi>{visibleText(shown.name)}</bdi>
        </h2>
        {tables.length > 1 && (
          <>
            <label htmlFor={id} className="visually-hidden">
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
      <ErrorCard what="This table could not be profiled" detail={failure.message} saved="the table itself.">
        <SmallButton onClick={again}>Try again</SmallButton>
      </ErrorCard>
    )
  }
  if (profile === null) {
    return <Loading what={`Profiling ${countLabel(table.rowCount, 'row')} of ${visibleText(table.name)}`} />
  }
  const { rowCount, duplicateRows, columns } = profile
  return (
    <>
      <p className="facts-row profile-facts caption num">
        <span>{countLabel(rowCount, 'row')}</span>
        <span>{countLabel(columns.length, 'column')}</span>
        {duplicateRows !== null && (
          <span>{duplicateRows === 0 ? 'no duplicate rows' : `${countLabel(duplicateRows, 'duplicate row')}`}</span>
        )}
        {table.rejectedCount > 0 && <span>{countLabel(table.rejectedCount, 'row')} rejected on import</span>}
        <span>No model was used</span>
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
      <ShowAll onAll={onAll} label={countLabel(columns.length, 'column')} />
    </>
  )
}
