import { Info } from 'lucide-react'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { ImportPlan } from '../../analysis/import-plan.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { RowsGrid } from '../../ui/rows-grid.tsx'
import { factsOf } from './import-words.ts'
import { chosenTables, previewOf, problemOf, withTable } from './plan-edits.ts'
import { ReviewColumns } from './review-columns.tsx'
import { ReviewFormat } from './review-format.tsx'
import { ReviewName } from './review-name.tsx'
import { ReviewParts } from './review-parts.tsx'

interface ReviewDialogProps {
  readonly plan: ImportPlan
  /** Of tables that are there and are not expected to be replaced. */
  readonly names: readonly string[]
  /** Tables it is read again for. */
  readonly replaces: readonly string[]
  /** How many more files wait for this. */
  readonly waiting: number
  readonly onReplan: (plan: ImportPlan) => Promise<ImportPlan | null>
  readonly onAdd: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  /** This one and all that wait, as they were found. */
  readonly onAddAll: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  readonly onCancel: () => void
}

/** What a file seems to hold, before it becomes tables. A good file takes one key: Enter. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { names, replaces, waiting, onReplan, onAdd, onAddAll, onCancel } = props
  const [plan, setPlan] = useState(props.plan)
  const [shown, setShown] = useState(() =>
    Math.max(
      0,
      props.plan.tables.findIndex(({ isChosen }) => isChosen),
    ),
  )
  const [isKept, setKept] = useState(true)
  const [isReading, setReading] = useState(false)
  const [readings, setReadings] = useState(0)
  const id = useId()
  const add = useRef<HTMLButtonElement>(null)
  useEffect(() => add.current?.focus(), [])
  const table = plan.tables[shown]
  const problem = problemOf(plan)
  const count = chosenTables(plan).length

  async function replan(next: ImportPlan): Promise<void> {
    setPlan(next)
    setReading(true)
    const found = await onReplan(next)
    if (found === null) return
    setReading(false)
    setReadings((count) => count + 1)
    setPlan(found)
    setShown((at) => (at < found.tables.length ? at : 0))
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (problem === null && !isReading) onAdd(plan, { isKept })
  }

  return (
    <Dialog
      title={replaces.length > 0 ? `Read ${plan.file} again` : `Add ${plan.file}`}
      onClose={onCancel}
      foot={
        <>
          <button ref={add} className="btn ink" type="submit" form={id} disabled={problem !== null || isReading}>
            {count > 1 ? `Add ${count} tables` : 'Add table'}
            <kbd>
              <span aria-hidden="true">↵</span>
            </kbd>
          </button>
          {waiting > 0 && (
            <Button disabled={problem !== null || isReading} onClick={() => onAddAll(plan, { isKept })}>
              Add all {waiting + 1} files
            </Button>
          )}
          <Button look={['quiet']} onClick={onCancel}>
            {waiting > 0 ? 'Skip this file' : 'Cancel'}
          </Button>
          <label className="row end" title="So that it is here after a refresh">
            <input type="checkbox" checked={isKept} onChange={(event) => setKept(event.target.checked)} />
            Keep in this browser
          </label>
          <span role="status" className="text-2">
            {isReading && 'Reading it again…'}
          </span>
          {problem !== null && !isReading && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
        </>
      }
    >
      <form id={id} className="review" onSubmit={submit} aria-busy={isReading}>
        <p className="review-facts">
          <span>{factsOf(plan)}</span>
          {waiting > 0 && (
            <span>
              {waiting} more {waiting === 1 ? 'file waits' : 'files wait'}
            </span>
          )}
        </p>
        {plan.warnings.length > 0 && (
          <ul className="review-notes">
            {plan.warnings.map((words) => (
              <li key={words}>
                <Info className="icon s" aria-hidden="true" />
                {words}
              </li>
            ))}
          </ul>
        )}
        <ReviewFormat plan={plan} onChange={(next) => void replan(next)} />
        {plan.tables.some(({ part }) => part !== null) && (
          <ReviewParts
            tables={plan.tables}
            shown={shown}
            onShow={setShown}
            onChoose={(place, isChosen) => setPlan(withTable(plan, place, { isChosen }))}
          />
        )}
        {table !== undefined && (
          // What is found again would take the place of what is written meanwhile.
          <fieldset className="review-table" disabled={isReading}>
            <ReviewName
              name={table.name}
              names={names}
              replaces={replaces}
              onChange={(name) => setPlan(withTable(plan, shown, { name }))}
            />
            <div className="review-halves">
              <ReviewColumns
                key={`${readings} ${shown}`}
                table={table}
                onChange={(next) => setPlan(withTable(plan, shown, next))}
              />
              <section aria-labelledby={`${id}-preview`}>
                <h3 id={`${id}-preview`}>First rows</h3>
                {table.preview.rows.length === 0 ? (
                  <p className="muted">No rows: the table will be empty.</p>
                ) : (
                  <RowsGrid rows={previewOf(table)} total={table.rowCount} label={`First rows of ${table.name}`} />
                )}
              </section>
            </div>
          </fieldset>
        )}
      </form>
    </Dialog>
  )
}
