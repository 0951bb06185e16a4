// Rows, charts and runs for the tests of charts and reports.
import type { ChartChoice, Run } from '../../../packages/web/src/data/domain/analysis.ts'
import type { Cell, Rows } from '../../../packages/web/src/data/domain/cells.ts'

export const rowsOf = (columns: Readonly<Record<string, string>>, ...rows: readonly (readonly Cell[])[]): Rows => ({
  columns: Object.entries(columns).map(([name, type]) => ({ name, type })),
  rows,
})
export const choiceOf = (choice: Partial<ChartChoice>): ChartChoice => ({
  sourceStep: 1,
  type: 'bar',
  x: null,
  y: [],
  series: null,
  aggregate: 'none',
  order: 'none',
  limit: null,
  title: null,
  ...choice,
})
export const runOf = (answer: Partial<Run['answer'] & object>): Run => ({
  id: 'r1',
  question: 'Who is late?',
  tier: 'high',
  thinking: false,
  state: 'done',
  said: '',
  ask: null,
  startedAt: '2026-07-01T10:00:00Z',
  endedAt: '2026-07-01T10:01:00Z',
  steps: [],
  charts: [],
  failure: null,
  answer: {
    answer: 'North, **14.8 %**.',
    chartType: 'bar',
    usage: { inputTokens: 1, outputTokens: 1, units: 2, costUsd: null },
    ...answer,
  },
})

export const weekly = rowsOf(
  { week: 'DATE', region: 'VARCHAR', late_share: 'DOUBLE' },
  ...['2026-07-06', '2026-08-03', '2026-09-07', '2026-09-28'].flatMap((week, at) =>
    ['North', 'West', 'South', 'East'].map((region, place) => [week, region, 5 + at * (4 - place) + place / 10]),
  ),
)

/** Text that a page must show as it is. */
export const evil = [
  '<script>alert(1)</script>',
  '</svg><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'x\u202Ey',
  '{"signal":"1"}',
]
