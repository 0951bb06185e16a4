import { Plus } from 'lucide-react'
import { type ReactNode, useCallback, useMemo } from 'react'
import type { TableRef } from '../../analysis/analysis.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import type { Workspace } from '../../analysis/workspace.ts'
import { useLoaded } from '../../hooks/use-loaded.ts'
import { useStore } from '../../hooks/use-store.ts'
import { profileOf } from '../../hooks/use-table-profile.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { EngineLine } from './engine-line.tsx'
import { JoinLines } from './join-lines.tsx'
import { MissingTables } from './missing-tables.tsx'
import { StorageLine } from './storage-line.tsx'
import { suggestedQuestions } from './suggested-questions.ts'
import type { TableActs } from './table-menu.tsx'
import { TableSection } from './table-section.tsx'

interface TablesPaneProps {
  readonly workspace: Workspace
  /** What the answers of the analysis were found in. */
  readonly answered: readonly TableRef[]
  readonly acts: TableActs
  readonly onAdd: () => void
  readonly onReattach: (table: KeptTable) => void
  readonly onAsk: (question: string) => void
  /** Files on their way in. */
  readonly children: ReactNode
}

export function TablesPane({ workspace, answered, acts, onAdd, onReattach, onAsk, children }: TablesPaneProps) {
  const { isLasting, tables, missing, storage } = useStore(workspace.tables)
  const engine = useStore(workspace.engine)
  return (
    <aside className="pane data" aria-label="Data">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable without a pointer */}
      <section className="data-body scroll" aria-label="Tables" tabIndex={0}>
        <EngineLine
          engine={engine}
          isLasting={isLasting}
          onStart={() => void workspace.start().catch(() => undefined)}
        />
        {tables === null && engine.status !== 'failed' && <Loading what="Bringing your tables back" />}
        {tables?.length === 0 && missing.length === 0 && (
          <p className="data-none">No tables yet. Drop a file anywhere on this page, paste cells, or add one below.</p>
        )}
        {tables?.map((table) => (
          <TableSection
            key={table.name}
            workspace={workspace}
            table={table}
            acts={acts}
            isOtherFile={isOther(table, answered)}
          />
        ))}
        <MissingTables tables={missing} onReattach={onReattach} onRemove={({ name }) => acts.onRemove(name)} />
        <Joined workspace={workspace} tables={tables ?? []} onAsk={onAsk} />
      </section>
      <div className="data-foot">
        {children}
        <StorageLine
          isLasting={isLasting}
          storage={storage}
          hasTables={(tables?.length ?? 0) > 0}
          onPersist={workspace.persist}
        />
        <Button onClick={onAdd}>
          <Plus className="icon s" aria-hidden="true" />
          Add a file
        </Button>
      </div>
    </aside>
  )
}

interface JoinedProps extends Pick<TablesPaneProps, 'workspace' | 'onAsk'> {
  readonly tables: readonly KeptTable[]
}

/** How the tables fit together, and what they can be asked. */
function Joined({ workspace, tables, onAsk }: JoinedProps) {
  const key = JSON.stringify(tables.map(({ name, addedAt, neverSent }) => [name, addedAt, neverSent]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the tables as far as joins can tell
  const load = useCallback(async () => (tables.length < 2 ? [] : workspace.suggestJoins()), [workspace, key])
  // Without joins the tables are as good as before: a failure here is not worth a word.
  const { value: joins } = useLoaded(load)
  // The columns above show the same profiles: nothing is read twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the tables as far as questions can tell
  const look = useCallback(
    async () =>
      (await Promise.allSettled(tables.map((table) => profileOf(workspace, table)))).flatMap((one) =>
        one.status === 'fulfilled' ? [one.value] : [],
      ),
    [workspace, key],
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
            This data can also answer
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

const isOther = (table: KeptTable, answered: readonly TableRef[]): boolean => {
  const before = answered.find(({ name }) => name === table.name)
  return before !== undefined && before.fingerprint !== table.source.fingerprint
}
