// A new analysis, and the summary of an analysis for lists.
import type { Analysis } from '../../domain/analysis.ts'
import type { AnalysisSummary } from '../../domain/data-services.ts'

export const untitled = 'New analysis'

export const newAnalysis = (id: string, scope: readonly string[], at: string): Analysis => ({
  id,
  title: untitled,
  createdAt: at,
  changedAt: at,
  level: 1,
  scope,
  tables: [],
  sessionId: null,
  agent: null,
  runs: [],
  sent: [],
})

export const summaryOf = ({ id, title, createdAt, changedAt, runs }: Analysis): AnalysisSummary => ({
  id,
  title,
  createdAt,
  changedAt,
  questions: runs.length,
  lastState: runs.at(-1)?.state ?? null,
  lastAsk: runs.at(-1)?.ask?.kind ?? null,
})
