import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import {
  type ImportCheck,
  type ImportPlan,
  type PlannedTable,
  rejectedRowsOf,
  rejectsWholeFile,
} from '../../../domain/import-plan.ts'
import { hasName, problemOf, withCheckedReadings, withTable, withUnusedNames } from '../state/plan-edits.ts'

const misfitsProblem = 'Some values do not fit their types. Choose other types, or treat these values as empty.'

export interface ReviewedFile {
  readonly plan: ImportPlan
  /** Names of existing tables that are not expected to be replaced. */
  readonly names: readonly string[]
  /** False without browser storage. */
  readonly canStore: boolean
  readonly onReplan: (plan: ImportPlan) => Promise<ImportPlan | null>
  readonly onCheck: CheckPlan
  readonly onAdd: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
}

export type Review = ReturnType<typeof useReview>

/** The plan of a file with the user's changes, and what its check found. */
export function useReview(file: ReviewedFile, add: RefObject<HTMLButtonElement | null>) {
  const { names, canStore, onReplan, onCheck, onAdd } = file
  const [edited, setPlan] = useState(file.plan)
  /** Tables that the user wants to replace: chosen, or typed while such a table existed. */
  const [agreed, setAgreed] = useState<readonly string[]>([])
  const named = withUnusedNames(edited, { names, agreed })
  const [shown, setShown] = useState(() =>
    Math.max(
      0,
      file.plan.tables.findIndex(({ isChosen }) => isChosen),
    ),
  )
  const [wantsStored, setWantsStored] = useState(true)
  const isKept = wantsStored && canStore
  const [isReading, setReading] = useState(false)
  const [readings, setReadings] = useState(0)
  const checked = useImportCheck(named, isReading, onCheck)
  const check = checked?.check ?? null
  const plan = withCheckedReadings(named, check)
  const table = plan.tables[shown]
  const hasRejected = rejectedRowsOf(check) > 0
  // Enter adds a file without problems. The dialog focuses its first button when it opens, and the focus is lost when the
  // Add button is replaced while rows would be rejected.
  useEffect(() => {
    const isInField = document.activeElement?.matches('dialog :is(input, select)') ?? false
    if (!hasRejected && !isInField) add.current?.focus()
  }, [hasRejected, add])
  const problem = problemOf(plan) ?? (hasRejected && rejectsWholeFile(plan) ? misfitsProblem : null)
  /** The user pressed Enter: the table is added when its check is done and finds no problem. */
  const [isAdding, setAdding] = useState(false)
  useEffect(() => {
    if (!isAdding || checked === null) return
    setAdding(false)
    if (!hasRejected && problem === null) onAdd(plan, { isKept })
  })

  return {
    plan,
    /** `null` while the values are being checked, or if the check failed. */
    check,
    problem,
    /** The user pressed Enter before the check was done. */
    isAdding,
    isKept,
    setWantsStored,
    shown,
    setShown,
    table,
    isReading,
    /** How often the file was read again. */
    readings,
    async replan(next: ImportPlan): Promise<void> {
      setPlan(next)
      setReading(true)
      const found = await onReplan(next)
      if (found === null) return
      setReading(false)
      setReadings((count) => count + 1)
      setPlan(found)
      setShown((at) => (at < found.tables.length ? at : 0))
    },
    change(next: PlannedTable): void {
      if (next.name !== table?.name && hasName(names, next.name)) setAgreed([...agreed, next.name])
      setPlan(withTable(plan, shown, next))
    },
    choose: (index: number, isChosen: boolean) => setPlan(withTable(plan, index, { isChosen })),
    submit(event: FormEvent): void {
      event.preventDefault()
      if (problem === null && !isReading) setAdding(true)
    },
  }
}

type CheckPlan = (plan: ImportPlan, signal: AbortSignal) => Promise<ImportCheck>

interface Checked {
  readonly key: string
  /** `null` if the check failed: adding the file then shows the error. */
  readonly check: ImportCheck | null
}

/** The check of the current plan; `null` while it runs. */
function useImportCheck(plan: ImportPlan, isPaused: boolean, onCheck: CheckPlan): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null)
  const key = keyOf(plan)
  const latest = useRef({ plan, onCheck })
  latest.current = { plan, onCheck }
  useEffect(() => {
    if (isPaused) return
    const stop = new AbortController()
    const settle = (check: ImportCheck | null) => {
      if (!stop.signal.aborted) setChecked({ key, check })
    }
    latest.current.onCheck(latest.current.plan, stop.signal).then(settle, () => settle(null))
    return () => stop.abort()
  }, [key, isPaused])
  return checked?.key === key && !isPaused ? checked : null
}

/** Without names, which do not affect the check. */
const keyOf = ({ encoding, delimiter, hasHeader, tables }: ImportPlan): string =>
  JSON.stringify([
    encoding,
    delimiter,
    hasHeader,
    tables.map(({ isChosen, columns }) => isChosen && columns.map(({ type, reading }) => [type, reading])),
  ])
