import { useEffect, useRef, useState } from 'react'
import type { ImportCheck, ImportPlan } from '../../../domain/import-plan.ts'

export type CheckPlan = (plan: ImportPlan, signal: AbortSignal) => Promise<ImportCheck>

interface Checked {
  readonly key: string
  /** `null` if the check failed: adding the file then shows the error. */
  readonly check: ImportCheck | null
}

/** The check of the current plan; `null` while it runs. */
export function useImportCheck(plan: ImportPlan, isPaused: boolean, onCheck: CheckPlan): Checked | null {
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
