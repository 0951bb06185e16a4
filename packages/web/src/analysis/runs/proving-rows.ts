// The rows that can prove the numbers of an answer.
import type { Analysis } from '../analysis.ts'
import type { Rows } from '../cells.ts'
import type { StepRoom } from './create-step-room.ts'

const rowLimit = 10_000

/** Of the run's good steps and of those before it. One whose rows are not found again proves nothing. */
export async function provingRows(
  room: Pick<StepRoom, 'rows'>,
  { runs }: Analysis,
  runId: string,
): Promise<ReadonlyMap<number, Rows>> {
  const index = runs.findIndex(({ id }) => id === runId)
  const found = new Map<number, Rows>()
  const { signal } = new AbortController()
  for (const { n, state } of runs.slice(0, index + 1).flatMap(({ steps }) => steps)) {
    if (state !== 'ok' && state !== 'stale') continue
    const rows = await room.rows(n, rowLimit, signal).catch(() => null)
    if (rows !== null) found.set(n, rows)
  }
  return found
}
