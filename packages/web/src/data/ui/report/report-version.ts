import type { Analysis, Run } from '../../domain/analysis.ts'

/** Another one where a report of these questions would say something else: not for the words of one that still runs. */
export const reportVersion = ({ title, changedAt, tables, runs }: Analysis): string =>
  JSON.stringify([title, changedAt.slice(0, 10), tables, runs.map(runVersion)])

function runVersion({ id, state, answer, charts, failure, steps }: Run): unknown {
  if (state === 'running' || state === 'waiting') return id
  return [id, state, answer, charts, failure, steps]
}
