import { useEffect, useState } from 'react'
import type { Analysis, Run } from '../../domain/analysis.ts'
import type { Report, ReportOptions } from '../../export/report.ts'
import { buildReport, type RowsByRun } from './build-report.ts'
import { reportHtml } from './report-files.ts'

export interface BuiltReport {
  readonly report: Report | null
  readonly html: string
  readonly failure: string | null
}

/** Rebuilds the report when its content would change; until then the previous one stays. */
export function useReport(analysis: Analysis, options: ReportOptions, rows: RowsByRun): BuiltReport {
  const [built, setBuilt] = useState<BuiltReport>({ report: null, html: '', failure: null })
  const version = reportVersion(analysis)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes when the report does
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    async function build(): Promise<void> {
      const report = await buildReport(analysis, options, { rows, signal })
      const html = reportHtml(report)
      // Setting the same text again would make the preview flicker.
      setBuilt((before) => (before.html === html && before.failure === null ? before : { report, html, failure: null }))
    }
    build().catch(
      (error: unknown) => signal.aborted || setBuilt({ report: null, html: '', failure: failureMessage(error) }),
    )
    return () => leaving.abort()
  }, [version, options, rows])
  return built
}

const failureMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Changes when the report's content would change, but not while an answer is streaming. */
export const reportVersion = ({ title, changedAt, tables, runs }: Analysis): string =>
  JSON.stringify([title, changedAt.slice(0, 10), tables, runs.map(runVersion)])

function runVersion({ id, state, answer, charts, failure, steps }: Run): unknown {
  if (state === 'running' || state === 'waiting') return id
  return [id, state, answer, charts, failure, steps]
}
