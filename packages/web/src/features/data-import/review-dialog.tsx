import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { ImportPlan, PlannedTable } from '../../analysis/import-plan.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { isAllOrNothing, rejectedRowsOf } from './import-check-words.ts'
import { besideOthers, foundName, hasName, problemOf, withCheckedReadings, withTable } from './plan-edits.ts'
import { ReviewFoot } from './review-foot.tsx'
import { ReviewFormat } from './review-format.tsx'
import { ReviewNotes } from './review-notes.tsx'
import { ReviewParts } from './review-parts.tsx'
import { ReviewTable } from './review-table.tsx'
import { type CheckPlan, useImportCheck } from './use-import-check.ts'

const notCast = 'Some values do not fit their types. Choose other types, or treat these values as empty.'

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
  const named = besideOthers(edited, { names, agreed })
  const [shown, setShown] = useState(() =>
    Math.max(
      0,
      props.plan.tables.findIndex(({ isChosen }) => isChosen),
    ),
  )
  const [wantsKept, setWantsKept] = useState(true)
  const isKept = wantsKept && canKeep
  const [isReading, setReading] = useState(false)
  const [readings, setReadings] = useState(0)
  const id = useId()
  const add = useRef<HTMLButtonElement>(null)
  const checked = useImportCheck(named, isReading, onCheck)
  const check = checked?.check ?? null
  const plan = withCheckedReadings(named, check)
  const table = plan.tables[shown]
  const rejected = rejectedRowsOf(check)
  const isLosing = rejected > 0
  // After the dialog has opened and given the focus to its first button: Enter is enough for a good file. Also when the
  // button comes back after it gave way to the one that loses rows, and the focus went with it.
  useEffect(() => {
    const isInField = document.activeElement?.matches('dialog :is(input, select)') ?? false
    if (!isLosing && !isInField) add.current?.focus()
  }, [isLosing])
  const problem = problemOf(plan) ?? (rejected > 0 && isAllOrNothing(plan) ? notCast : null)
  /** Enter came before the values were checked: what is in order is added when they are. */
  const [isAdding, setAdding] = useState(false)
  useEffect(() => {
    if (!isAdding || checked === null) return
    setAdding(false)
    if (rejected === 0 && problem === null) onAdd(plan, { isKept })
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
          form={id}
          {...{ add, plan, check, waiting, problem, isReading, canKeep, isKept, onCancel }}
          isChecking={isAdding}
          onKept={setWantsKept}
          onAddAnyway={() => onAdd(plan, { isKept })}
          onAddAll={() => onAddAll(plan, { isKept })}
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
            onChoose={(place, isChosen) => setPlan(withTable(plan, place, { isChosen }))}
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
