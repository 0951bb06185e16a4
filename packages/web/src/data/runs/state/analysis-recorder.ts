import type { Analysis } from '../../domain/analysis.ts'
import type { AnalysisFact } from './analysis-fact.ts'

/** Reads and changes the analysis that this tab leads. */
export interface AnalysisRecorder {
  readonly analysis: () => Analysis
  readonly record: (fact: AnalysisFact) => void
  /** Resolves when everything is saved. */
  readonly save: () => Promise<void>
}
