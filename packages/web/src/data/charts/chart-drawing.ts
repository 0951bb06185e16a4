// The drawing of a chart choice: marks, one figure, or a table with a reason.
import type { ChartChoice } from '../domain/analysis.ts'
import type { Cell, Column, Rows } from '../domain/cells.ts'
import { countLabel } from '../domain/count-label.ts'
import { type XScale, xScaleOf } from './chart-axis.ts'
import { type ChartColumns, chartColumns } from './chart-columns.ts'
import { chartMarks, type Mark } from './chart-marks.ts'
import { limitedMarks } from './limited-marks.ts'
import { pieSlices } from './pie-slices.ts'

export interface DrawnRows {
  /** Rows of the step that are drawn. */
  readonly drawnRows: number
  /** Rows of the step, or `null` if not counted. */
  readonly totalRows: number | null
  /** Rows of the step that are loaded. Only these can be drawn. */
  readonly loadedRows: number
}

export interface Drawing {
  readonly kind: 'marks' | 'figure' | 'table'
  /** The type that is drawn: bars replace a misleading pie. */
  readonly choice: ChartChoice
  readonly scale: XScale
  readonly columns: ChartColumns
  readonly yTitle: string
  readonly marks: readonly Mark[]
  /** In order of their names; the first is highlighted. */
  readonly series: readonly string[]
  /** The x values in drawing order. */
  readonly names: readonly string[]
  /** The same numbers as rows. */
  readonly table: Rows
  readonly rows: DrawnRows
  /** Why a table is shown instead. */
  readonly problem: string | null
  readonly notes: readonly string[]
}

/** `totalRows` is the number of rows of the step; the page may have loaded only the first of them. */
export function chartDrawing(choice: ChartChoice, rows: Rows, totalRows: number | null = rows.rows.length): Drawing {
  const columns = chartColumns(choice, rows)
  const loadedRows = rows.rows.length
  const scale: XScale = columns.x === null ? { kind: 'names' } : xScaleOf(rows, columns.x)
  const yTitle = titleOfY(choice, columns)
  const asTable: Drawing = {
    kind: isOneCell(rows) ? 'figure' : 'table',
    choice,
    scale,
    columns,
    yTitle: isOneCell(rows) ? (rows.columns[0]?.name ?? '') : yTitle,
    marks: [],
    series: [],
    names: [],
    table: rows,
    rows: { drawnRows: loadedRows, totalRows, loadedRows },
    problem: null,
    notes: [],
  }
  if (choice.type === 'table' || loadedRows === 0) return asTable
  const wrong = problemOf(choice, columns, scale)
  if (wrong !== null) return { ...asTable, problem: wrong }

  const { marks, emptyRows, areAdded } = chartMarks(choice, rows, { columns, scale: drawnScale(choice, scale) })
  if (marks.length === 0) return { ...asTable, problem: `All values of ${quoted(columns)} are empty: nothing to draw.` }
  if (choice.type === 'pie' && marks.some(({ y }) => y < 0)) {
    return { ...asTable, problem: 'Some values are negative and cannot be parts of a whole.' }
  }
  const noPie = choice.type === 'pie' ? pieSlices(marks, choice, drawnScale(choice, scale)).problem : null
  const shown = noPie === null ? choice : asBars(choice, scale)
  const limited = limitedMarks(marks, shown, drawnScale(shown, scale))
  const many = (count: number): string => countLabel(count, 'row')
  const perRow = Math.max(1, columns.y.length)
  const drawn = limited.marks.reduce((sum, mark) => sum + mark.rows, 0) / perRow
  return {
    ...asTable,
    choice: shown,
    kind: marks.length === 1 && limited.series.length === 0 && choice.type !== 'scatter' ? 'figure' : 'marks',
    scale: drawnScale(choice, scale),
    yTitle,
    marks: limited.marks,
    series: limited.series,
    names: limited.names,
    table: tableOf(limited.marks, { choice, columns, yTitle }),
    rows: { drawnRows: Math.min(loadedRows - emptyRows, Math.round(drawn)), totalRows, loadedRows },
    notes: [
      ...(noPie === null ? [] : [noPie]),
      ...limited.notes,
      ...(areAdded ? ['rows with the same position added up'] : []),
      ...(emptyRows > 0 ? [`${many(emptyRows)} without a value left out`] : []),
    ],
  }
}

/** Keeps the order of the parts. */
const asBars = (choice: ChartChoice, { kind }: XScale): ChartChoice => ({
  ...choice,
  type: 'bar',
  order: choice.order === 'none' ? (kind === 'time' ? 'x' : 'y-down') : choice.order,
})

/** Slices and bars of plain numbers are placed next to each other by name. */
function drawnScale({ type }: ChartChoice, scale: XScale): XScale {
  const standsAsName = (type === 'pie' || type === 'bar') && scale.kind === 'numbers'
  return standsAsName ? { kind: 'names', decimals: scale.decimals } : scale
}

function problemOf(choice: ChartChoice, columns: ChartColumns, scale: XScale): string | null {
  if (columns.missing.length > 0) {
    const names = columns.missing.map((name) => `“${name}”`).join(', ')
    return `Step ${choice.sourceStep} has no column ${names}: its rows are shown instead.`
  }
  const isCounted = choice.aggregate === 'count'
  if (columns.y.length === 0 && !isCounted) return 'No numeric column to draw: the rows are shown instead.'
  const words = columns.y.filter(({ kind }) => kind !== 'number')
  if (words.length > 0 && !isCounted) {
    return `“${words[0]?.name}” has no numbers to draw but can be counted: the rows are shown instead.`
  }
  if (choice.type !== 'scatter') return null
  return scale.kind === 'names' ? 'A scatter chart needs numbers or dates on both axes.' : null
}

const isOneCell = ({ columns, rows }: Rows): boolean => columns.length === 1 && rows.length === 1

const quoted = ({ y }: ChartColumns): string => y.map(({ name }) => `“${name}”`).join(', ')

function titleOfY({ aggregate }: ChartChoice, { y }: ChartColumns): string {
  const names = y.map(({ name }) => name).join(', ')
  if (aggregate === 'none') return names
  return y.length === 0 ? 'rows' : `${aggregate} of ${names}`
}

type TableParts = Pick<Drawing, 'choice' | 'columns' | 'yTitle'>

/** The table view: exactly the drawn numbers. */
function tableOf(marks: readonly Mark[], { choice, columns, yTitle }: TableParts): Rows {
  const isNamed = columns.x !== null
  const hasSeries = marks.some(({ series }) => series !== null)
  const seriesName = columns.series?.name ?? 'series'
  const list: Column[] = [
    { name: columns.x?.name ?? 'column', type: columns.x?.kind === 'number' ? 'DOUBLE' : 'VARCHAR' },
    ...(hasSeries ? [{ name: seriesName, type: 'VARCHAR' }] : []),
    { name: columns.y.length === 1 || choice.aggregate === 'count' ? yTitle : 'value', type: 'DOUBLE' },
  ]
  const xOf = ({ x, name }: Mark): Cell => (isNamed && x !== null ? x : name)
  return { columns: list, rows: marks.map((mark) => [xOf(mark), ...(hasSeries ? [mark.series] : []), mark.y]) }
}
