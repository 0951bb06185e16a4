// The analysis of the mock-up: five steps, one of them corrected, and an answer with proven numbers.
import type { ClientCallId } from '@quarterdeck/protocol'
import type { Analysis, AnalysisStep, Run } from './analysis.ts'
import type { Rows } from './cells.ts'

const compareSql = `SELECT region,
  round(avg(late) FILTER (m = 7), 1) july,
  round(avg(late) FILTER (m = 9), 1) sept,
  round(sept - july, 1) AS rise
FROM (
  SELECT region,
    month(promised_at) AS m,
    100 * (delivered_at > promised_at)::int
      AS late
  FROM deliveries
  WHERE delivered_at IS NOT NULL
)
GROUP BY region
ORDER BY rise DESC`

export function sampleStep(n: number, change: Partial<AnalysisStep> = {}): AnalysisStep {
  const code = change.code ?? `SELECT ${n}`
  return {
    n,
    callId: `ctc_${n}` as ClientCallId,
    tool: 'run_query',
    thought: `Step number ${n}`,
    language: 'sql',
    code,
    original: code,
    reads: [],
    state: 'ok',
    rowCount: 4,
    elapsedMs: 38,
    sent: { bytes: 210, rows: 4, rowsKind: 'summary' },
    error: null,
    isSummary: true,
    startedAt: '2026-05-04T14:20:00.000Z',
    ...change,
  }
}

const steps: readonly AnalysisStep[] = [
  sampleStep(1, {
    thought: 'Look at both tables and how they join',
    rowCount: 2,
    elapsedMs: 3,
    sent: { bytes: 600, rows: 2 },
  }),
  sampleStep(2, {
    thought: 'Late share per region and week',
    rowCount: 52,
    elapsedMs: 412,
    sent: { bytes: 1100, rows: 52 },
  }),
  sampleStep(3, {
    thought:
      'Compare July with September per region. Compares the first and the last month of the quarter, so that the rise can be ranked.',
    code: compareSql,
  }),
  sampleStep(4, {
    thought: 'Split North by carrier',
    state: 'error',
    rowCount: null,
    elapsedMs: 4,
    sent: { bytes: 100, rows: 0 },
    error: 'Binder Error: Referenced column "carier" not found in FROM clause!\nCandidate bindings: "carrier"',
  }),
  sampleStep(5, {
    thought: 'Split North by carrier',
    rowCount: 11,
    elapsedMs: 95,
    sent: { bytes: 400, rows: 11 },
    reads: [3],
  }),
]

export const sampleRun: Run = {
  id: 'run-1',
  question: 'Where did late deliveries rise most in Q3, and did one carrier cause it?',
  tier: 'high',
  thinking: false,
  state: 'done',
  startedAt: '2026-05-04T14:20:00.000Z',
  endedAt: '2026-05-04T14:20:06.800Z',
  steps,
  said: 'First the tables, then the weeks.',
  ask: null,
  answer: {
    answer:
      'Late deliveries rose most in **North**, from 6.1 % in July to 14.8 % in September. No other region moved by more than 1.9 points. One carrier explains most of it: Harbour Express takes 31 % of the parcels in North and 73 % of the added delays.',
    chartType: 'line',
    sourceStep: 3,
    claims: [{ text: '14.8 %', stepId: 3, row: 0, column: 'sept' }],
    caveats: ['19,346 rows without a delivery time are left out (0.8 %).'],
    followUps: ['Which depots in North?', 'When did it start?'],
    usage: { inputTokens: 300, outputTokens: 113, units: 1240, costUsd: 0.041 },
  },
  charts: [],
  failure: null,
}

export const sampleAnalysis: Analysis = {
  id: 'a-1',
  title: 'Late deliveries, Q3',
  createdAt: '2026-05-04T14:00:00.000Z',
  changedAt: '2026-05-04T14:21:00.000Z',
  level: 1,
  scope: ['deliveries', 'depots'],
  tables: [],
  sessionId: null,
  agent: null,
  runs: [sampleRun],
  sent: [
    {
      at: '2026-05-04T14:20:00.000Z',
      what: 'question',
      body: '{"question":"Where?","tables":[]}',
      bytes: 1400,
      rows: 0,
      level: 1,
      step: null,
    },
    {
      at: '2026-05-04T14:20:02.000Z',
      what: 'result',
      body: '{"rows":[["North",14.8]]}',
      bytes: 1000,
      rows: 4,
      rowsKind: 'summary',
      level: 1,
      step: 3,
    },
  ],
}

const table = (names: readonly string[], rows: Rows['rows']): Rows => ({
  columns: names.map((name, index) => ({ name, type: index === 0 ? 'VARCHAR' : 'DOUBLE' })),
  rows,
})

export const sampleRows: ReadonlyMap<number, Rows> = new Map([
  [
    3,
    table(
      ['region', 'july', 'sept', 'rise'],
      [
        ['North', 6.1, 14.8, 8.7],
        ['West', 7.2, 9.1, 1.9],
        ['South', 5.1, 6.4, 1.3],
        ['East', 4.4, 5, 0.6],
      ],
    ),
  ],
  [
    5,
    table(
      ['carrier', 'parcels', 'delays'],
      [
        ['Harbour Express', 0.31, 0.72],
        ['Northline', 0.2, 0.1],
      ],
    ),
  ],
])
