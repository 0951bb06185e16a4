import '../../styles/data-profile.css'
import { visibleText } from '@quarterdeck/protocol'
import { useId } from 'react'
import { countWords } from '../../analysis/count-words.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { TableProfile } from '../../analysis/profile.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { useStore } from '../../hooks/use-store.ts'
import { useTableProfile } from '../../hooks/use-table-profile.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorCard } from '../../ui/error-card.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ShowAll, useFirstOnes } from '../../ui/show-all.tsx'
import { ColumnCard } from './column-card.tsx'

interface ProfileTabProps {
  readonly workspace: Workspace
  /** The one to show; without one, the first. */
  readonly table: string | null
  readonly onTable: (table: string) => void
  /** A person wants to add a file. */
  readonly onAdd: () => void
}

/** What a table is like, column by column, told without a model. */
export function ProfileTab({ workspace, table, onTable, onAdd }: ProfileTabProps) {
  const { tables } = useStore(workspace.tables)
  const id = useId()
  const shown = tables?.find(({ name }) => name === table) ?? tables?.[0]
  if (tables === null) return <Loading what="Bringing your tables back" />
  if (shown === undefined) {
    return (
      <div className="profile scroll">
        <div className="empty">
          <h2>No table to look at yet</h2>
          <p>Once a file is added, its columns are told here: ranges, gaps, frequent values. No model is asked.</p>
          <Button look={['s']} onClick={onAdd}>
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
      <Profile key={shown.name} workspace={workspace} table={shown} />
    </section>
  )
}

function Profile({ workspace, table }: { readonly workspace: Workspace; readonly table: KeptTable }) {
  const { profile, failure, again } = useTableProfile(workspace, table)
  if (failure !== null) {
    return (
      <ErrorCard what="This table could not be looked at" detail={failure.message} kept="the table itself.">
        <Button look={['s']} onClick={again}>
          Try again
        </Button>
      </ErrorCard>
    )
  }
  if (profile === null) {
    return <Loading what={`Looking at ${countWords(table.rowCount, 'row')} of ${table.name}`} />
  }
  const { rowCount, duplicateRows, columns } = profile
  return (
    <>
      <p className="profile-facts num">
        <span>{countWords(rowCount, 'row')}</span>
        <span>{countWords(columns.length, 'column')}</span>
        {duplicateRows !== null && (
          <span>{duplicateRows === 0 ? 'no row twice' : `${countWords(duplicateRows, 'row')} twice or more`}</span>
        )}
        {table.rejectedCount > 0 && <span>{countWords(table.rejectedCount, 'row')} rejected while reading</span>}
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
      <ShowAll onAll={onAll} words={countWords(columns.length, 'column')} />
    </>
  )
}
