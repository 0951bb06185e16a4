import '../charts/charts.css'
import { messageOf } from '@quarterdeck/protocol'
import { useEffect, useRef, useState } from 'react'
import { Loading } from '../../../components/status/loading.tsx'
import { type Analysis, isOpenRun, type Run } from '../../domain/analysis.ts'
import type { Report, ReportOptions } from '../../export/report.ts'
import type { Proofs } from '../../proof/create-answer-proofs.ts'
import { SmallButton } from '../controls/small-button.tsx'
import { buildReport, wholeReport } from './build-report.ts'
import { reportHtml, saveHtml, saveMarkdown } from './report-files.ts'
import { ReportOptionsForm } from './report-options.tsx'

interface ReportTabProps {
  readonly analysis: Analysis
  readonly proofs: Proofs
  /** The user wants to ask a question first. */
  readonly onAsk: () => void
}

/** The analysis as one document: options on the left, preview on the right. */
export function ReportTab({ analysis, proofs, onAsk }: ReportTabProps) {
  if (analysis.runs.length === 0) {
    return (
      <section className="pane report" aria-label="Report">
        <div className="empty">
          <h2>No report yet</h2>
          <p>A report contains questions and their answers.</p>
          <SmallButton onClick={onAsk}>Ask a question</SmallButton>
        </div>
      </section>
    )
  }
  return <ReportEditor analysis={analysis} proofs={proofs} />
}

function ReportEditor({ analysis, proofs }: Omit<ReportTabProps, 'onAsk'>) {
  const all = analysis.runs.map(({ id }) => id)
  const [order, setOrder] = useState<readonly string[]>(all)
  const [chosen, setChosen] = useState<ReportOptions>(() => wholeReport(analysis))
  const shown = [...order.filter((id) => all.includes(id)), ...all.filter((id) => !order.includes(id))]
  const { report, html, failure } = useReport(analysis, chosen, proofs)
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
          <SmallButton disabled={report === null} onClick={() => report && saveHtml(report)}>
            Save as HTML
          </SmallButton>
          <SmallButton disabled={report === null} onClick={() => report && saveMarkdown(report)}>
            Save as Markdown
          </SmallButton>
          <SmallButton disabled={report === null} onClick={() => preview.current?.contentWindow?.print()}>
            Print
          </SmallButton>
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

interface BuiltReport {
  readonly report: Report | null
  readonly html: string
  readonly failure: string | null
}

/** Rebuilds the report when its content would change; until then the previous one stays. */
function useReport(analysis: Analysis, options: ReportOptions, proofs: Proofs): BuiltReport {
  const [built, setBuilt] = useState<BuiltReport>({ report: null, html: '', failure: null })
  const version = reportVersion(analysis)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes when the report does
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    async function build(): Promise<void> {
      const report = await buildReport(analysis, options, { proofs, signal })
      const html = reportHtml(report)
      // Setting the same text again would make the preview flicker.
      setBuilt((before) => (before.html === html && before.failure === null ? before : { report, html, failure: null }))
    }
    build().catch((error: unknown) => signal.aborted || setBuilt({ report: null, html: '', failure: messageOf(error) }))
    return () => leaving.abort()
  }, [version, options, proofs])
  return built
}

/** Changes when the report's content would change, but not while an answer is streaming. */
export const reportVersion = ({ title, changedAt, tables, runs }: Analysis): string =>
  JSON.stringify([title, changedAt.slice(0, 10), tables, runs.map(runVersion)])

function runVersion(run: Run): unknown {
  const { id, state, answer, charts, failure, steps } = run
  return isOpenRun(run) ? id : [id, state, answer, charts, failure, steps]
}
