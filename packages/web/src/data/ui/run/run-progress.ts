// Text about the progress of a run.
import { ellipsize } from '@quarterdeck/protocol'
import type { AnalysisStep, Run } from '../../domain/analysis.ts'

const toolLabels: Readonly<Record<AnalysisStep['tool'], string>> = {
  run_query: 'running query',
  get_column_stats: 'measuring a column',
  get_value_distribution: 'counting values',
  transform_data: 'running code',
  sample_rows: 'reading rows',
}

/** The current activity, without its duration. */
export function progressLabel({ steps, said }: Run): string {
  const running = steps.findLast(({ state }) => state === 'running')
  if (running !== undefined) return `Step ${running.n} · ${toolLabels[running.tool]}`
  const last = steps.at(-1)
  if (last === undefined) return said === '' ? 'Thinking about the question' : 'Thinking'
  return `Step ${last.n} done · thinking`
}

/** The step that corrected this one: the next of its kind that worked. */
export function correctedBy(step: AnalysisStep, steps: readonly AnalysisStep[]): number | null {
  if (step.state !== 'error') return null
  const next = steps.find(({ n, tool, state }) => n > step.n && tool === step.tool && state !== 'error')
  return next === undefined || next.state === 'cancelled' ? null : next.n
}

/** One short line: the start of an error, in plain words if known. */
export function errorLine(error: string): string {
  const first = (error.split('\n')[0] ?? '').replace(/^\w+ Error: /, '').replace(/[!.:;\s]+$/, '')
  const missing =
    /(?:Referenced (column)|(Table) with name|(?:Scalar |Aggregate )?(Function) with name) "?([^"\s]+)"? (?:not found|does not exist)/i.exec(
      first,
    )
  const what = (missing?.[1] ?? missing?.[2] ?? missing?.[3])?.toLowerCase()
  if (what !== undefined) return `no ${what} “${missing?.[4]}”`
  return ellipsize(first, 70)
}
