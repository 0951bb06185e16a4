import type { AnalysisResult } from '@quarterdeck/protocol'
import type { ChartChoice } from '../domain/analysis.ts'
import type { Cell, Rows } from '../domain/cells.ts'
import type { ChartTheme } from './spec/chart-theme.ts'

/** `rows({ name: 'VARCHAR', n: 'BIGINT' }, ['a', 1], …)` */
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

export const answerOf = (answer: Partial<AnalysisResult>): AnalysisResult => ({
  answer: 'It rose.',
  chartType: 'bar',
  usage: { inputTokens: 1, outputTokens: 1, units: 2, costUsd: null },
  ...answer,
})

/** Late share per week and region, as in the mock-up. */
export const weekly = rowsOf(
  { week: 'DATE', region: 'VARCHAR', late_share: 'DOUBLE' },
  ...['2026-07-06', '2026-08-03', '2026-09-07', '2026-09-28'].flatMap((week, at) =>
    ['North', 'West', 'South', 'East'].map((region, index) => [week, region, 5 + at * (4 - index) + index / 10]),
  ),
)

export const lightTheme: ChartTheme = {
  surface: '#fcfdfd',
  text: '#171e24',
  text2: '#3c454c',
  muted: '#596268',
  line: '#dde2e5',
  base: '#848d93',
  accent: '#005b79',
  rest: '#868d92',
  font: 'sans-serif',
}
