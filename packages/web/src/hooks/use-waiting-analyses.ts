import { watchWaitingAnalyses } from '../analysis/kept/watch-waiting-analyses.ts'
import type { AnalysisSummary } from '../analysis/workspace.ts'
import { useStore } from './use-store.ts'

const waiting = watchWaitingAnalyses()

/** The analyses of this browser that wait for the user. */
export const useWaitingAnalyses = (): readonly AnalysisSummary[] => useStore(waiting)
