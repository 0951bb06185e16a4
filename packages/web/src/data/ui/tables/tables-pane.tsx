import '../controls/info-list.css'
import { visibleText } from '@quarterdeck/protocol'
import { Link2, Plus } from 'lucide-react'
import { type ReactNode, useCallback, useMemo } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import { useLoaded } from '../../../hooks/use-loaded.ts'
import { useStore } from '../../../hooks/use-store.ts'
import type { TableRef } from '../../domain/analysis.ts'
import type { DataServices } from '../../domain/data-services.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { JoinSuggestion } from '../../domain/table-profile.ts'
import { profileOf } from '../use-table-profile.ts'
import { EngineLine } from './engine-line.tsx'
import { MissingTables } from './missing-tables.tsx'
import { StorageLine } from './storage-line.tsx'
import { suggestedQuestions } from './suggested-questions.ts'
import type { TableActions } from './table-menu.tsx'
import { TableSection } from './table-section.tsx'

interface TablesPaneProps {
  readonly services: DataServices
  /** The tables that the answers of the analysis are based on. */
  readonly answered: readonly TableRef[]
  readonly actions: TableActions
  readonly onAdd: () => void
  readonly onReattach: (table: ImportedTable) => void
  readonly onAsk: (question: string) => void
  /** Files being imported. */
  readonly children: ReactNode
}

export function TablesPane({ services, answered, actions, onAdd, onReattach, onAsk, children }: TablesPaneProps) {
  const { isLasting, tables, missing, storage } = useStore(services.tables)
  const engine = useStore(services.engine)
  return (
    <aside className="pane data" aria-label="Data">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className="data-body scroll" aria-label="Tables" tabIndex={0}>
        <EngineLine engine={engine} isLasting={isLasting} onStart={services.start} />
        {tables === null && engine.status !== 'failed' && <Loading what="Restoring your tables" />}
        {tables?.length === 0 && missing.length === 0 && (
          <p className="data-none">No tables yet. Drop a file anywhere on this page, paste cells, or add one below.</p>
        )}
        {tables?.map((table) => (
          <TableSection
            key={table.name}
            services={services}
            table={table}
            actions={actions}
            isOtherFile={isOther(table, answered)}
          />
        ))}
        <MissingTables tables={missing} onReattach={onReattach} onRemove={({ name }) => actions.onRemove(name)} />
        <Joined services={services} tables={tables ?? []} onAsk={onAsk} />
      </section>
      <div className="data-foot">
        {children}
        <StorageLine
          isLasting={isLasting}
          storage={storage}
          hasTables={(tables?.length ?? 0) > 0}
          onPersist={services.persist}
        />
        <Button onClick={onAdd}>
          <Plus className="icon s" aria-hidden="true" />
          Add a file
        </Button>
      </div>
    </aside>
  )
}

interface JoinedProps extends Pick<TablesPaneProps, 'services' | 'onAsk'> {
  readonly tables: readonly ImportedTable[]
}

/** Joins between the tables, and suggested questions. */
function Joined({ services, tables, onAsk }: JoinedProps) {
  const key = JSON.stringify(tables.map(({ name, addedAt, neverSent }) => [name, addedAt, neverSent]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains everything that joins depend on
  const load = useCallback(async () => (tables.length < 2 ? [] : services.suggestJoins()), [services, key])
  // Joins are optional, so a failure is ignored.
  const { value: joins } = useLoaded(load)
  // The columns above show the same profiles: nothing is read twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains everything that questions depend on
  const look = useCallback(
    async () =>
      (await Promise.allSettled(tables.map((table) => profileOf(services, table)))).flatMap((one) =>
        one.status === 'fulfilled' ? [one.value] : [],
      ),
    [services, key],
  )
  const { value: profiles } = useLoaded(look)
  const questions = useMemo(
    () => (profiles === null ? [] : suggestedQuestions(tables, joins ?? [], profiles)),
    [tables, joins, profiles],
  )
  return (
    <>
      <JoinLines joins={joins ?? []} />
      {questions.length > 0 && (
        <section className="hints" aria-labelledby="also">
          <h3 id="also" className="label">
            You can also ask
          </h3>
          <ul>
            {questions.map((question) => (
              <li key={question}>
                <button type="button" className="plain" onClick={() => onAsk(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const isOther = (table: ImportedTable, answered: readonly TableRef[]): boolean => {
  const before = answered.find(({ name }) => name === table.name)
  return before !== undefined && before.fingerprint !== table.source.fingerprint
}

function JoinLines({ joins }: { readonly joins: readonly JoinSuggestion[] }) {
  if (joins.length === 0) return null
  return (
    <ul className="joins icon-list" aria-label="Tables that can be joined">
      {joins.map(({ left, right, matchRate }) => {
        const [one, other] = [left, right].map(({ table, column }) => visibleText(`${table}.${column}`))
        return (
          <li key={`${one} ${other}`}>
            <Link2 className="icon s" aria-hidden="true" />
            <span>
              {one} joins {other}, <span className="num">{rate(matchRate)} % match</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Rounds down, so that mismatches never disappear. */
const rate = (share: number): string => (share >= 1 ? '100' : String(Math.floor(share * 1000) / 10))
