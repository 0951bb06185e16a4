// The title of a step on screen.
import { ellipsize } from '@quarterdeck/protocol'
import type { AnalysisStep, StepTool } from '../domain/analysis.ts'

const limit = 140

const plain: Readonly<Record<StepTool, string>> = {
  run_query: 'A query',
  get_column_stats: 'Statistics of a column',
  get_value_distribution: 'The most frequent values of a column',
  transform_data: 'Transformed rows',
  sample_rows: 'Sample rows',
}

/** The first sentence of the model's reason, without its final punctuation. */
export function stepTitle({ thought, tool }: Pick<AnalysisStep, 'thought' | 'tool'>): string {
  const line = thought.replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.{12,}?[.!?](?=\s+\p{Lu})/u.exec(line)?.[0] ?? line
  const title = sentence.replace(/[.:;\s]+$/, '')
  return title === '' ? plain[tool] : ellipsize(title, limit)
}
