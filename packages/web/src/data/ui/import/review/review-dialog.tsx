import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../../../components/controls/dialog.tsx'
import type { ImportPlan, PlannedTable } from '../../../domain/import-plan.ts'
import { rejectedRowsOf, rejectsWholeFile } from '../rejected/rejected-rows.ts'
import { foundName, hasName, problemOf, withCheckedReadings, withTable, withUnusedNames } from '../state/plan-edits.ts'
import { ReviewFoot } from './review-foot.tsx'
import { ReviewFormat } from './review-format.tsx'
import { ReviewNotes } from './review-notes.tsx'
import { ReviewParts } from './review-parts.tsx'
import { ReviewTable } from './review-table.tsx'
import { type CheckPlan, useImportCheck } from './use-import-check.ts'

const misfitsProblem = 'Some values do not fit their types. Choose other types, or treat these values as empty.'

interface ReviewDialogProps {
  readonly plan: ImportPlan
  /** Of tables that are there and are not expected to be replaced. */
  readonly names: readonly string[]
  /** Tables it is read again for. */
  readonly replaces: readonly string[]
  /** How many more files wait for this. */
  readonly waiting: number
  /** False where this browser keeps nothing. */
  readonly canKeep: boolean
  readonly onReplan: (plan: ImportPlan) => Promise<ImportPlan | null>
  readonly onCheck: CheckPlan
  readonly onAdd: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  /** This one and all that wait, as they were found. */
  readonly onAddAll: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  readonly onCancel: () => void
}

/** What a file seems to hold, before it becomes tables. A good file takes one key: Enter. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { names, replaces, waiting, canKeep, onReplan, onCheck, onAdd, onAddAll, onCancel } = props
  const [edited, setPlan] = useState(props.plan)
  /** Names of tables that the person wants replaced: chosen, or written while there was such a table. */
  const [agreed, setAgreed] = useState<readonly string[]>([])
  const named = withUnusedNames(edited, { names, agreed })
  const [shown, setShown] = useState(() =>
    Math.max(
      0,
      props.plan.tables.findIndex(({ isChosen }) => isChosen),
    ),
  )
  const [wantsStored, setWantsStored] = useState(true)
  const isKept = wantsStored && canKeep
  const [isReading, setReading] = useState(false)
  const [readings, setReadings] = useState(0)
  const id = useId()
  const add = useRef<HTMLButtonElement>(null)
  const checked = useImportCheck(named, isReading, onCheck)
  const check = checked?.check ?? null
  const plan = withCheckedReadings(named, check)
  const table = plan.tables[shown]
  const rejected = rejectedRowsOf(check)
  const hasRejected = rejected > 0
  // Enter adds a file without problems. The dialog focuses its first button when it opens, and the focus is lost when the
  // Add button is replaced while rows would be rejected.
  useEffect(() => {
    const isInField = document.activeElement?.matches('dialog :is(input, select)') ?? false
    if (!hasRejected && !isInField) add.current?.focus()
  }, [hasRejected])
  const problem = problemOf(plan) ?? (hasRejected && rejectsWholeFile(plan) ? misfitsProblem : null)
  /** The user pressed Enter: the table is added when its check is done and finds no problem. */
  const [isAdding, setAdding] = useState(false)
  useEffect(() => {
    if (!isAdding || checked === null) return
    setAdding(false)
    if (!hasRejected && problem === null) onAdd(plan, { isKept })
  })

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

  function change(next: PlannedTable): void {
    if (next.name !== table?.name && hasName(names, next.name)) setAgreed([...agreed, next.name])
    setPlan(withTable(plan, shown, next))
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    if (problem === null && !isReading) setAdding(true)
  }

  return (
    <Dialog
      title={replaces.length > 0 ? `Read ${plan.file} again` : `Add ${plan.file}`}
      onClose={onCancel}
      foot={
        <ReviewFoot
          add={add}
          form={id}
          plan={plan}
          check={check}
          isChecking={isAdding}
          waiting={waiting}
          problem={problem}
          isReading={isReading}
          canKeep={canKeep}
          isKept={isKept}
          onStore={setWantsStored}
          onAddAnyway={() => onAdd(plan, { isKept })}
          onAddAll={() => onAddAll(plan, { isKept })}
          onCancel={onCancel}
        />
      }
    >
      <form id={id} className="review" onSubmit={submit} aria-busy={isReading}>
        <ReviewNotes plan={plan} waiting={waiting} />
        <ReviewFormat plan={plan} onChange={(next) => void replan(next)} />
        {plan.tables.some(({ part }) => part !== null) && (
          <ReviewParts
            tables={plan.tables}
            shown={shown}
            onShow={setShown}
            onChoose={(index, isChosen) => setPlan(withTable(plan, index, { isChosen }))}
          />
        )}
        {table !== undefined && (
          <ReviewTable
            // Read again it is another table, even under the same name.
            key={`${readings} ${shown}`}
            {...{ table, names, replaces }}
            check={check?.tables[shown] ?? null}
            found={foundName(plan, table)}
            disabled={isReading}
            onChange={change}
          />
        )}
      </form>
    </Dialog>
  )
}
