import { chartDrawing } from '../../charts/chart-drawing.ts'
import { chosenCharts } from '../../charts/chosen-charts.ts'
import { drawnFacts } from '../../charts/drawn-facts.ts'
import { toSvg } from '../../charts/render-chart.ts'
import { chartSummary, chartTitle } from '../../charts/spec/chart-summary.ts'
import { plainFont, readChartTheme } from '../../charts/spec/chart-theme.ts'
import { specFor } from '../../charts/spec/spec-for.ts'
import type { Analysis, Run } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { firstRows, type Report, type ReportChart, type ReportOptions, reportOf } from '../../export/report.ts'
import { escapeHtml } from '../../export/to-html.ts'
import type { LoadedStepRows, Proofs } from '../../proof/create-answer-proofs.ts'

const width = 760

/** Every question with its charts and steps. Rows are data of the user's files, so the user has to add them. */
export const wholeReport = ({ runs }: Analysis): ReportOptions => ({
  runIds: runs.map(({ id }) => id),
  answers: true,
  charts: true,
  steps: true,
  rows: false,
})

interface ReportSources {
  /** The rows of successful steps and their proofs, by question. */
  readonly proofs: Proofs
  /** The report is no longer needed. */
  readonly signal: AbortSignal
}

/** Builds the report. Charts are drawn for paper, regardless of the theme of the page. */
export async function buildReport(
  analysis: Analysis,
  options: ReportOptions,
  { proofs, signal }: ReportSources,
): Promise<Report> {
  const charts = new Map<string, readonly ReportChart[]>()
  const rowsByStep = new Map<number, Rows>()
  for (const run of analysis.runs) {
    const found = proofs.get(run.id)?.rowsByStep ?? new Map<number, LoadedStepRows>()
    for (const [n, list] of found) rowsByStep.set(n, list)
    if (options.charts && options.runIds.includes(run.id)) charts.set(run.id, await chartsOf(run, found, signal))
  }
  signal.throwIfAborted()
  return reportOf(analysis, options, {
    charts,
    rowsByStep,
    pieces: new Map([...proofs].map(([id, proof]) => [id, proof.pieces])),
  })
}

async function chartsOf(
  run: Run,
  rowsByStep: ReadonlyMap<number, LoadedStepRows>,
  signal: AbortSignal,
): Promise<readonly ReportChart[]> {
  const theme = { ...readChartTheme('light'), surface: '#ffffff', font: plainFont }
  const charts: ReportChart[] = []
  for (const choice of chosenCharts(run, rowsByStep)) {
    signal.throwIfAborted()
    const rows = rowsByStep.get(choice.sourceStep)
    if (rows === undefined) continue
    const drawing = chartDrawing(choice, rows, rows.rowCount)
    const title = chartTitle(choice, drawing)
    const svg = drawing.kind === 'marks' ? await toSvg(specFor(drawing, { theme, width })) : null
    charts.push({
      title,
      svg: svg === null ? null : namedPicture(svg, chartSummary(title, drawing)),
      facts: drawnFacts(drawing),
      table: firstRows(drawing.table, null),
    })
  }
  return charts
}

/** Adds a text description to an SVG for screen readers. */
export const namedPicture = (svg: string, summary: string): string =>
  // Uses a function, because `$'` in a title would otherwise insert parts of the picture.
  svg.replace('<svg ', () => `<svg role="img" aria-label="${escapeHtml(summary)}" `)
