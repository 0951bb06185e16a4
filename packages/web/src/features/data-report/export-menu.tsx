import { Download } from 'lucide-react'
import type { Analysis } from '../../analysis/analysis.ts'
import type { Report } from '../../analysis/export/report.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Menu } from '../../ui/menu.tsx'
import { rowsWords } from '../../ui/rows-words.ts'
import { buildReport, type RowsByRun } from './build-report.ts'
import { saveHtml, saveMarkdown, saveRows, saveSql } from './report-files.ts'

interface ExportMenuProps {
  readonly analysis: Analysis
  readonly rows: RowsByRun
  /** The step that is looked at; `null` takes the last one with rows. */
  readonly step: number | null
}

/** The whole analysis as a file, from everywhere on its page. The Report tab has the choices. */
export function ExportMenu({ analysis, rows, step }: ExportMenuProps) {
  const { run, failure } = useAction()
  const found = new Map([...rows.values()].flatMap(({ rowsByStep }) => [...rowsByStep]))
  const n = step !== null && found.has(step) ? step : Math.max(0, ...found.keys())
  const stepRows = found.get(n)

  const save = (file: (report: Report) => void) => () =>
    void run(async (signal) => {
      const runIds = analysis.runs.map(({ id }) => id)
      const options = { runIds, answers: true, charts: true, steps: true, rows: false }
      file(await buildReport(analysis, options, { rows, signal }))
    })

  return (
    <>
      {failure !== null && (
        <span className="problem" role="alert">
          Not saved: {failure.message}
        </span>
      )}
      <Menu label="Export" words="Export" icon={<Download className="icon s" aria-hidden="true" />}>
        {(choose) => (
          <>
            <button type="button" onClick={choose(save(saveHtml))}>
              Whole analysis (HTML)<small>One file with charts; opens anywhere, needs nothing</small>
            </button>
            <button type="button" onClick={choose(save(saveMarkdown))}>
              Whole analysis (Markdown)<small>Text, with the numbers of each chart</small>
            </button>
            <button type="button" onClick={choose(() => saveSql(analysis))}>
              All steps (SQL)<small>A script over the same tables</small>
            </button>
            {stepRows !== undefined && (
              <button type="button" onClick={choose(() => saveRows(`${analysis.title}, step ${n}`, stepRows))}>
                Rows of step {n} (CSV)
                <small>
                  {rowsWords(
                    stepRows.rows.length,
                    stepRows.rowCount === undefined ? stepRows.rows.length : stepRows.rowCount,
                  )}
                </small>
              </button>
            )}
          </>
        )}
      </Menu>
    </>
  )
}
