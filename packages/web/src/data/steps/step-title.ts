// A step in plain words, for its line.
import { cutText } from '@quarterdeck/protocol'
import type { AnalysisStep, StepTool } from '../domain/analysis.ts'

const limit = 140

const plain: Readonly<Record<StepTool, string>> = {
  run_query: 'A query',
  get_column_stats: 'What a column is like',
  get_value_distribution: 'The most frequent values of a column',
  transform_data: 'Rows in another shape',
  sample_rows: 'A few rows',
}

/** Why it was made, as the model says it: the first sentence, without a mark at its end. */
export function stepTitle({ thought, tool }: Pick<AnalysisStep, 'thought' | 'tool'>): string {
  const line = thought.replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.{12,}?[.!?](?=\s+\p{Lu})/u.exec(line)?.[0] ?? line
  const title = sentence.replace(/[.:;\s]+$/, '')
  if (title === '') return plain[tool]
  return title.length <= limit ? title : `${cutText(title, limit).trimEnd()}…`
}
