// The charts of an answer: named by the model, and completed from the rows where it left something out.
import type { AnalysisResult } from '@quarterdeck/protocol'
import type { ChartChoice, Run } from '../domain/analysis.ts'
import { kindOf, type Rows } from '../domain/cells.ts'
import { columnIndexOf } from './chart-columns.ts'

type StepRows = ReadonlyMap<number, Rows>
type Chart = NonNullable<AnalysisResult['charts']>[number]

type Answered = Pick<Run, 'answer' | 'charts' | 'steps'>

/** The user's version if there is one, otherwise the charts of the answer. */
export function chosenCharts({ answer, charts, steps }: Answered, stepRows: StepRows): ChartChoice[] {
  if (answer === null || (steps.length === 0 && isTextOnly(answer))) return []
  return chartChoices(answer, stepRows).map((choice, index) => charts[index] ?? choice)
}

/** An answer without a step of its own, such as a refusal, must not show the rows of an earlier question. */
const isTextOnly = ({ chartType, sourceStep, charts }: AnalysisResult): boolean =>
  chartType === 'table' && sourceStep === undefined && charts === undefined

/** `stepRows` has successful steps only, by number. */
export function chartChoices(answer: AnalysisResult, stepRows: StepRows): ChartChoice[] {
  const last = Math.max(0, ...stepRows.keys())
  if (last === 0 && answer.sourceStep === undefined && answer.charts === undefined) return []
  const main = completed(
    {
      sourceStep: answer.sourceStep ?? last,
      type: answer.chartType,
      ...(answer.xAxis === undefined ? {} : { x: answer.xAxis }),
      ...(answer.yAxis === undefined ? {} : { y: answer.yAxis }),
    },
    stepRows,
  )
  const choices = [main]
  for (const chart of answer.charts ?? []) {
    const choice = completed(chart, stepRows)
    const same = choices.findIndex((other) => keyOf(other) === keyOf(choice))
    if (same < 0) choices.push(choice)
    else choices[same] = choice
  }
  return choices
}

/** The same chart twice is listed once. The later one may add a title or a series. */
const keyOf = ({ sourceStep, type, x, y }: ChartChoice): string => JSON.stringify([sourceStep, type, x, y])

function completed(chart: Chart, stepRows: StepRows): ChartChoice {
  const rows = stepRows.get(chart.sourceStep) ?? { columns: [], rows: [] }
  const named = namedColumns(chart.y, rows)
  const x = chart.x === undefined ? guessX(rows, chart.type, named) : nameIn(rows, chart.x)
  const y = named.length > 0 ? named : guessY(rows, chart.type, x)
  const isPlain = chart.type === 'table' || chart.type === 'scatter' || x === null
  const series = chart.series === undefined ? (isPlain ? null : guessSeries(rows, x, y)) : nameIn(rows, chart.series)
  return {
    sourceStep: chart.sourceStep,
    type: chart.type,
    x,
    y,
    series,
    aggregate: isPlain || !repeats(rows, [x, series]) ? 'none' : aggregateFor(y),
    order: 'none',
    limit: null,
    title: chart.title ?? null,
  }
}

const nameIn = (rows: Rows, name: string): string => rows.columns[columnIndexOf(rows.columns, name)]?.name ?? name

/** One name, several, or several in one text. */
function namedColumns(y: Chart['y'], rows: Rows): readonly string[] {
  if (y === undefined) return []
  const names = typeof y === 'string' ? [y] : y
  return names.flatMap((name) => {
    const parts = name.split(',').map((part) => part.trim())
    const isList =
      columnIndexOf(rows.columns, name) < 0 && parts.every((part) => columnIndexOf(rows.columns, part) >= 0)
    return (isList ? parts : [name]).map((part) => nameIn(rows, part))
  })
}

function guessX({ columns }: Rows, type: Chart['type'], y: readonly string[]): string | null {
  if (type === 'table') return null
  const free = columns.filter(({ name }) => !y.includes(name))
  const wanted =
    type === 'scatter' ? ['number', 'date'] : type === 'line' ? ['date', 'text'] : ['text', 'date', 'yes-no']
  const found = wanted.flatMap((kind) => free.filter((column) => kindOf(column) === kind))[0]
  return (found ?? (y.length > 0 || free.length > 1 ? free[0] : undefined))?.name ?? null
}

function guessY({ columns }: Rows, type: Chart['type'], x: string | null): readonly string[] {
  const numbers = columns.filter((column) => column.name !== x && kindOf(column) === 'number').map(({ name }) => name)
  return type === 'table' ? [] : numbers.slice(0, 1)
}

/** A column that distinguishes rows with the same x, each value once per x. */
function guessSeries(rows: Rows, x: string | null, y: readonly string[]): string | null {
  if (y.length !== 1 || !repeats(rows, [x])) return null
  const found = rows.columns.find(
    (column) => column.name !== x && !y.includes(column.name) && isGrouping(column) && !repeats(rows, [x, column.name]),
  )
  return found?.name ?? null
}

const isGrouping = (column: Rows['columns'][number]): boolean => ['text', 'yes-no'].includes(kindOf(column))

function repeats(rows: Rows, names: readonly (string | null)[]): boolean {
  const indexes = names.filter((name) => name !== null).map((name) => columnIndexOf(rows.columns, name))
  const seen = new Set(rows.rows.map((row) => JSON.stringify(indexes.map((columnIndex) => String(row[columnIndex])))))
  return seen.size < rows.rows.length
}

/** Sums of shares and means are meaningless. */
function aggregateFor(y: readonly string[]): ChartChoice['aggregate'] {
  if (y.length === 0) return 'count'
  return y.some(isRate) ? 'mean' : 'sum'
}

const isRate = (name: string): boolean => /avg|average|mean|median|rate|ratio|share|percent|pct|%|per_/i.test(name)
