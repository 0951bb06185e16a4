import { useEffect, useState } from 'react'
import type { Analysis } from '../../analysis/analysis.ts'
import type { Report, ReportOptions } from '../../analysis/export/report.ts'
import { buildReport, type RowsByRun } from './build-report.ts'

export type BuiltReport = { readonly report: Report | null; readonly failure: string | null }

/** Built anew with every change; until then the one before stays. */
export function useReport(analysis: Analysis, options: ReportOptions, rows: RowsByRun): BuiltReport {
  const [built, setBuilt] = useState<BuiltReport>({ report: null, failure: null })
  useEffect(() => {
    let isLeft = false
    buildReport(analysis, options, rows).then(
      (report) => isLeft || setBuilt({ report, failure: null }),
      (error: unknown) => isLeft || setBuilt({ report: null, failure: String(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [analysis, options, rows])
  return built
}
