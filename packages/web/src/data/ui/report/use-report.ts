import { useEffect, useState } from 'react'
import type { Analysis } from '../../domain/analysis.ts'
import type { Report, ReportOptions } from '../../export/report.ts'
import { buildReport, type RowsByRun } from './build-report.ts'
import { reportHtml } from './report-files.ts'
import { reportVersion } from './report-version.ts'

export interface BuiltReport {
  readonly report: Report | null
  readonly html: string
  readonly failure: string | null
}

/** Built anew when it would say something else; until then the one before stays. */
export function useReport(analysis: Analysis, options: ReportOptions, rows: RowsByRun): BuiltReport {
  const [built, setBuilt] = useState<BuiltReport>({ report: null, html: '', failure: null })
  const version = reportVersion(analysis)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when the report is another
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    async function build(): Promise<void> {
      const report = await buildReport(analysis, options, { rows, signal })
      const html = reportHtml(report)
      // The same text again would only make the preview blink.
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
