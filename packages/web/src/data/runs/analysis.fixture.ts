// Parts of an analysis for tests.
import type { AnalysisResult, ClientCallId, SessionId } from '@quarterdeck/protocol'
import type { Analysis } from '../domain/analysis.ts'
import { importedTable } from '../domain/imported-table.fixture.ts'
import type { BegunStep, StepOutcome } from '../steps/step-recorder.ts'
import type { AnalysisFact } from './state/analysis-fact.ts'
import { foldAnalysis } from './state/fold-analysis.ts'
import { newAnalysis } from './state/new-analysis.ts'

export const at = '2026-11-16T08:00:00.000Z'
export const sessionId = 'ses_000001' as SessionId
export const fresh = newAnalysis('a1', ['sales'], at)

export const after = (...facts: readonly AnalysisFact[]): Analysis =>
  facts.reduce((analysis, fact) => foldAnalysis(analysis, fact, at), fresh)

export const asked = (runId = 'r1', question = 'Which city sells most?'): AnalysisFact => ({
  type: 'question.asked',
  runId,
  question,
  tier: 'high',
  thinking: false,
  agent: 'analysis',
  tables: [{ name: 'sales', fingerprint: 'f1', rowCount: 3 }],
})

export const begun = (callId: string, code = 'SELECT 1', more: Partial<BegunStep> = {}): BegunStep => ({
  callId: callId as ClientCallId,
  tool: 'run_query',
  thought: 'to see',
  language: 'sql',
  code,
  reads: [],
  ...more,
})

export const good = (rowCount = 2): StepOutcome => ({
  state: 'ok',
  rowCount,
  elapsedMs: 5,
  content: { ipc: new Uint8Array([1]) },
  isSummary: true,
})

export const result: AnalysisResult = {
  answer: 'Oslo.',
  chartType: 'bar',
  sourceStep: 1,
  usage: { inputTokens: 1000, outputTokens: 100, units: 3300, costUsd: 0.0045 },
}

export const sales = importedTable(
  'sales',
  { city: 'VARCHAR' },
  { rowCount: 3, source: { file: 'sales.csv', format: 'csv', sizeBytes: 10, fingerprint: 'f1' } },
)
