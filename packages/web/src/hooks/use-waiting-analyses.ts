import { watchWaitingAnalyses } from '../analysis/kept/watch-waiting.ts'
import type { AnalysisSummary } from '../analysis/workspace.ts'
import { useStore } from './use-store.ts'

const waiting = watchWaitingAnalyses()

/** The questions of Data in this browser that wait for a person. */
export const useWaitingAnalyses = (): readonly AnalysisSummary[] => useStore(waiting)
