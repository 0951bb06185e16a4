import { Download } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import { useAction } from '../../../hooks/use-action.ts'
import { type Analysis, hasRows } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { exportCsv } from '../../export/export-csv.ts'
import type { Report } from '../../export/report.ts'
import { type Proofs, stepRowLimit } from '../../proof/create-answer-proofs.ts'
import { rowsLabel } from '../grid/rows-label.ts'
import { buildReport, wholeReport } from './build-report.ts'
import { saveHtml, saveMarkdown, saveSql } from './report-files.ts'

interface ExportMenuProps {
  readonly analysis: Analysis
  readonly proofs: Proofs
  /** The open step; `null` uses the last one with rows. */
  readonly step: number | null
  readonly readRows: (n: number, maxRows: number, signal: AbortSignal) => Promise<Rows>
}

/** Exports the whole analysis from every tab. The Report tab has the options. */
export function ExportMenu({ analysis, proofs, step: n, readRows }: ExportMenuProps) {
  const { run, failure } = useAction()
  const found = new Map([...proofs.values()].flatMap(({ rowsByStep }) => [...rowsByStep]))
  const steps = analysis.runs.flatMap((one) => one.steps).filter(hasRows)
  const step = n === null ? steps.at(-1) : steps.find((one) => one.n === n)

  const save = (file: (report: Report) => void) => () =>
    void run(async (signal) => {
      file(await buildReport(analysis, wholeReport(analysis), { proofs, signal }))
    })

  // The answer may not have loaded the rows of every step, for example of a stopped question.
  const saveStep = (of: number) => () =>
    void run(async (signal) => {
      const stepRows = found.get(of) ?? (await readRows(of, stepRowLimit, signal))
      exportCsv(stepRows, analysis.title, `step ${of}`)
    })

  return (
    <>
      {failure !== null && (
        <span className="problem" role="alert">
          Not saved: {failure.message}
        </span>
      )}
      <Menu label="Export" text="Export" icon={<Download className="icon s" aria-hidden="true" />}>
        {(choose) => (
          <>
            <button type="button" onClick={choose(save(saveHtml))}>
              Whole analysis (HTML)<small>One self-contained file with charts</small>
            </button>
            <button type="button" onClick={choose(save(saveMarkdown))}>
              Whole analysis (Markdown)<small>Text, with the numbers of each chart</small>
            </button>
            <button type="button" onClick={choose(() => saveSql(analysis))}>
              All steps (SQL)<small>A script over the same tables</small>
            </button>
            {step !== undefined && (
              <button type="button" onClick={choose(saveStep(step.n))}>
                Rows of step {step.n} (CSV)
                <small>{rowsLabel(Math.min(step.rowCount ?? stepRowLimit, stepRowLimit), step.rowCount)}</small>
              </button>
            )}
          </>
        )}
      </Menu>
    </>
  )
}
