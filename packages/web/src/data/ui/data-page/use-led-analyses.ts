import { useEffect, useState } from 'react'
import { ledAnalyses } from '../../domain/analysis-lock.ts'
import type { AnalysisSummary } from '../../domain/data-services.ts'

const everyMs = 2000

/** Those that a tab runs now; `null` where nobody can say. Asked while one of them says that it runs: a tab that dies tells nobody. */
export function useLedAnalyses(analyses: readonly AnalysisSummary[]): ReadonlySet<string> | null {
  const [led, setLed] = useState<ReadonlySet<string> | null>(null)
  const key = analyses.flatMap(({ id, lastState }) => (lastState === 'running' ? [id] : [])).join(' ')
  useEffect(() => {
    if (key === '') return
    let isLeft = false
    const ask = async () => {
      const found = await ledAnalyses(navigator.locks).catch(() => null)
      if (!isLeft) setLed(found)
    }
    void ask()
    const timer = setInterval(() => void ask(), everyMs)
    return () => {
      isLeft = true
      clearInterval(timer)
    }
  }, [key])
  return led
}
