// Charts, their table and a report on a page of their own, dressed like the workbench.
import '../packages/web/src/styles/workbench.css'
import '../packages/web/src/styles/data.css'
import { createElement as h, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { Analysis, ChartChoice, Run } from '../packages/web/src/analysis/analysis.ts'
import type { Rows } from '../packages/web/src/analysis/cells.ts'
import { RunCharts } from '../packages/web/src/features/data-chart/run-charts.tsx'
import { ExportMenu } from '../packages/web/src/features/data-report/export-menu.tsx'
import { ReportTab } from '../packages/web/src/features/data-report/report-tab.tsx'
import { RowsGrid } from '../packages/web/src/ui/rows-grid.tsx'

/** What crosses from the test has no maps. */
export type StepRows = readonly (readonly [n: number, rows: Rows])[]

let root: Root | null = null

function mount(element: Parameters<Root['render']>[0]): void {
  root?.unmount()
  document.body.replaceChildren()
  const place = document.createElement('main')
  place.style.maxWidth = '760px'
  place.style.padding = '16px'
  document.body.append(place)
  root = createRoot(place)
  root.render(element)
}

export function showRun(run: Run, stepRows: StepRows): void {
  mount(h(EditedRun, { run, stepRows }))
}

function EditedRun({ run, stepRows }: { readonly run: Run; readonly stepRows: StepRows }) {
  const [charts, setCharts] = useState<readonly ChartChoice[]>(run.charts)
  const onChoose = async (index: number, choice: ChartChoice) =>
    setCharts((before) => (index < before.length ? before.with(index, choice) : [...before, choice]))
  return h(RunCharts, { run: { ...run, charts }, rowsByStep: new Map(stepRows), onChoose })
}

export function showReport(analysis: Analysis, stepRows: StepRows): void {
  const rows = new Map(analysis.runs.map(({ id }) => [id, { rowsByStep: new Map(stepRows) }]))
  mount([
    h(
      'div',
      { key: 'head', style: { display: 'flex', justifyContent: 'end' } },
      h(ExportMenu, { analysis, rows, step: null }),
    ),
    h('div', { key: 'tab', style: { display: 'grid', height: 640 } }, h(ReportTab, { analysis, rows })),
  ])
}

export function showGrid(count: number, outlined: { readonly row: number; readonly column: string } | null): void {
  const rows: Rows = {
    columns: [
      { name: 'id', type: 'BIGINT' },
      { name: 'name', type: 'VARCHAR' },
      { name: 'share', type: 'DOUBLE' },
    ],
    rows: Array.from({ length: count }, (_, at) => [at, at % 7 === 0 ? null : `name ${count - at}`, (at * 37) % 100]),
  }
  mount(h(RowsGrid, { rows, total: 2_418_306, outlined, label: 'Rows of step 3' }))
}
