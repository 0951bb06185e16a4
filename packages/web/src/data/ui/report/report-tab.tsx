import '../charts/charts.css'
import { useRef, useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import type { Analysis } from '../../domain/analysis.ts'
import type { ReportOptions } from '../../export/report.ts'
import type { RowsByRun } from './build-report.ts'
import { saveHtml, saveMarkdown } from './report-files.ts'
import { ReportOptionsForm } from './report-options.tsx'
import { useReport } from './use-report.ts'

interface ReportTabProps {
  readonly analysis: Analysis
  readonly rows: RowsByRun
  /** The user wants to ask a question first. */
  readonly onAsk: () => void
}

/** The analysis as one document: options on the left, preview on the right. */
export function ReportTab({ analysis, rows, onAsk }: ReportTabProps) {
  if (analysis.runs.length === 0) {
    return (
      <section className="pane report" aria-label="Report">
        <div className="empty">
          <h2>No report yet</h2>
          <p>A report contains questions and their answers.</p>
          <Button variant={['s']} onClick={onAsk}>
            Ask a question
          </Button>
        </div>
      </section>
    )
  }
  return <Report analysis={analysis} rows={rows} />
}

function Report({ analysis, rows }: Omit<ReportTabProps, 'onAsk'>) {
  const all = analysis.runs.map(({ id }) => id)
  const [order, setOrder] = useState<readonly string[]>(all)
  const [chosen, setChosen] = useState<ReportOptions>({
    runIds: all,
    answers: true,
    charts: true,
    steps: true,
    rows: false,
  })
  const shown = [...order.filter((id) => all.includes(id)), ...all.filter((id) => !order.includes(id))]
  const { report, html, failure } = useReport(analysis, chosen, rows)
  const preview = useRef<HTMLIFrameElement>(null)
  return (
    <section className="pane report" aria-label="Report">
      <div className="report-side scroll">
        <ReportOptionsForm
          analysis={analysis}
          order={shown}
          options={chosen}
          onOptions={(options, next) => {
            setChosen(options)
            setOrder(next)
          }}
        />
        <div className="actions">
          <Button variant={['s']} disabled={report === null} onClick={() => report && saveHtml(report)}>
            Save as HTML
          </Button>
          <Button variant={['s']} disabled={report === null} onClick={() => report && saveMarkdown(report)}>
            Save as Markdown
          </Button>
          <Button variant={['s']} disabled={report === null} onClick={() => preview.current?.contentWindow?.print()}>
            Print
          </Button>
        </div>
        {failure !== null && <p role="alert">The report could not be created: {failure}</p>}
      </div>
      {report === null && failure === null && <Loading what="Creating the report" />}
      {/* The very file that is saved. Nothing in it may run; print() is called from here. */}
      {report !== null && (
        <iframe
          className="report-preview"
          title="Preview of the report"
          ref={preview}
          sandbox="allow-same-origin allow-modals"
          srcDoc={html}
        />
      )}
    </section>
  )
}
