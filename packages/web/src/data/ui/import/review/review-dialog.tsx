import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../../../../components/controls/dialog.tsx'
import { type ImportPlan, type PlannedTable, rejectedRowsOf, rejectsWholeFile } from '../../../domain/import-plan.ts'
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
  /** Names of existing tables that are not expected to be replaced. */
  readonly names: readonly string[]
  /** The tables that the file is read again for. */
  readonly replaces: readonly string[]
  /** The number of further files in the queue. */
  readonly waiting: number
  /** False without browser storage. */
  readonly canStore: boolean
  readonly onReplan: (plan: ImportPlan) => Promise<ImportPlan | null>
  readonly onCheck: CheckPlan
  readonly onAdd: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  /** Adds this file and all queued ones as detected. */
  readonly onAddAll: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  readonly onCancel: () => void
}

/** The detected content of a file before it becomes tables. Enter accepts a file without problems. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { names, replaces, waiting, canStore, onReplan, onCheck, onAdd, onAddAll, onCancel } = props
  const [edited, setPlan] = useState(props.plan)
  /** Tables that the user wants to replace: chosen, or typed while such a table existed. */
  const [agreed, setAgreed] = useState<readonly string[]>([])
  const named = withUnusedNames(edited, { names, agreed })
  const [shown, setShown] = useState(() =>
    Math.max(
      0,
      props.plan.tables.findIndex(({ isChosen }) => isChosen),
    ),
  )
  const [wantsStored, setWantsStored] = useState(true)
  const isKept = wantsStored && canStore
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
      cancel={null}
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
          canStore={canStore}
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
            // After reading again it is another table, even under the same name.
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
