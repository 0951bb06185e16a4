import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { ImportPlan, PlannedTable } from '../../analysis/import-plan.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { besideOthers, foundName, hasName, problemOf, withTable } from './plan-edits.ts'
import { ReviewFoot } from './review-foot.tsx'
import { ReviewFormat } from './review-format.tsx'
import { ReviewNotes } from './review-notes.tsx'
import { ReviewParts } from './review-parts.tsx'
import { ReviewTable } from './review-table.tsx'

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
  readonly onAdd: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  /** This one and all that wait, as they were found. */
  readonly onAddAll: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  readonly onCancel: () => void
}

/** What a file seems to hold, before it becomes tables. A good file takes one key: Enter. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { names, replaces, waiting, canKeep, onReplan, onAdd, onAddAll, onCancel } = props
  const [edited, setPlan] = useState(props.plan)
  /** Names of tables that the person wants replaced: chosen, or written while there was such a table. */
  const [agreed, setAgreed] = useState<readonly string[]>([])
  const plan = besideOthers(edited, { names, agreed })
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
  // After the dialog has opened and given the focus to its first button: Enter is enough for a good file.
  useEffect(() => add.current?.focus(), [])
  const table = plan.tables[shown]
  const problem = problemOf(plan)

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
    if (problem === null && !isReading) onAdd(plan, { isKept })
  }

  return (
    <Dialog
      title={replaces.length > 0 ? `Read ${plan.file} again` : `Add ${plan.file}`}
      onClose={onCancel}
      foot={
        <ReviewFoot
          form={id}
          {...{ add, plan, waiting, problem, isReading, canKeep, isKept, onCancel }}
          onKept={setWantsKept}
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
            found={foundName(plan, table)}
            disabled={isReading}
            onChange={change}
          />
        )}
      </form>
    </Dialog>
  )
}
