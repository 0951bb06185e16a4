// Charts, a grid and a report on a separate page with the workbench's styles, for `e2e/data/chart.test.ts`.
import '../../../app/styles/workbench.css'
import './analysis.css'
import { type ReactNode, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { Analysis, ChartChoice, Run } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import type { AnswerPiece } from '../../domain/proof.ts'
import type { RunProof } from '../../proof/create-answer-proofs.ts'
import { RunCharts } from '../charts/run-charts.tsx'
import { RowsGrid } from '../grid/rows-grid.tsx'
import { ExportMenu } from '../report/export-menu.tsx'
import { ReportTab } from '../report/report-tab.tsx'

/** Values from a test cannot contain maps. */
type StepRows = readonly (readonly [n: number, rows: Rows])[]

/** Available on the page as `chartScreen`. */
export interface ChartScreen {
  showRun(run: Run, stepRows: StepRows): void
  showReport(analysis: Analysis, stepRows: StepRows): void
  showGrid(count: number, outlined: { readonly row: number; readonly column: string } | null): void
}

document.documentElement.lang = 'en'

let root: Root | null = null

function mount(element: ReactNode): void {
  root?.unmount()
  const container = document.createElement('main')
  container.style.maxWidth = '760px'
  container.style.padding = '16px'
  document.body.replaceChildren(container)
  root = createRoot(container)
  root.render(element)
}

const loaded = (stepRows: StepRows): RunProof['rowsByStep'] =>
  new Map(stepRows.map(([n, rows]) => [n, { ...rows, rowCount: rows.rows.length }]))

function EditedRun({ run, rowsByStep }: { readonly run: Run } & Pick<RunProof, 'rowsByStep'>) {
  const [charts, setCharts] = useState<readonly (ChartChoice | null)[]>(run.charts)
  const choose = async (_: string, index: number, choice: ChartChoice) =>
    setCharts((before) =>
      [...Array.from({ length: Math.max(before.length, index + 1) }, (_, at) => before[at] ?? null)].with(
        index,
        choice,
      ),
    )
  return <RunCharts run={{ ...run, charts }} rowsByStep={rowsByStep} onChoose={choose} />
}

const piecesOf = (answer: Run['answer']): readonly AnswerPiece[] => [{ kind: 'text', text: answer?.answer ?? '' }]

const chartScreen: ChartScreen = {
  showRun: (run, stepRows) => mount(<EditedRun run={run} rowsByStep={loaded(stepRows)} />),
  showReport(analysis, stepRows) {
    const proofs = new Map(
      analysis.runs.map(({ id, answer }) => [id, { pieces: piecesOf(answer), rowsByStep: loaded(stepRows) }]),
    )
    mount(
      <>
        <ExportMenu
          analysis={analysis}
          proofs={proofs}
          step={null}
          readRows={async () => ({ columns: [], rows: [] })}
        />
        <div style={{ display: 'grid', height: 640 }}>
          <ReportTab analysis={analysis} proofs={proofs} onAsk={() => undefined} />
        </div>
      </>,
    )
  },
  showGrid(count, outlined) {
    const cells = (at: number) => [at, at % 7 === 0 ? null : `name ${count - at}`, (at * 37) % 100]
    const rows: Rows = {
      columns: [
        { name: 'id', type: 'BIGINT' },
        { name: 'name', type: 'VARCHAR' },
        { name: 'share', type: 'DOUBLE' },
      ],
      rows: Array.from({ length: count }, (_, at) => cells(at)),
    }
    mount(<RowsGrid rows={rows} total={2_418_306} outlined={outlined} label="Rows of step 3" />)
  },
}

Object.assign(globalThis, { chartScreen })
