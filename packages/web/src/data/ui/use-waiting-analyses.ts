import { useStore } from '../../hooks/use-store.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import { watchWaitingAnalyses } from '../storage/watch-waiting-analyses.ts'

const waiting = watchWaitingAnalyses()

/** The analyses of this browser that wait for the user. */
export const useWaitingAnalyses = (): readonly AnalysisSummary[] => useStore(waiting)
