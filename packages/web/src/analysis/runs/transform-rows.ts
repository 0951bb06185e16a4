// JavaScript of a step over the rows of others, without a model.
import type { Rows } from '../cells.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** Resolves with the rows as an Arrow IPC stream. The first of `reads` is what the code gets as `data`. */
export type TransformRows = (call: {
  readonly code: string
  readonly reads: readonly number[]
  readonly signal: AbortSignal
}) => Promise<Uint8Array>

export interface TransformDeps {
  readonly sandbox: () => Promise<Sandbox>
  readonly rowsOf: (n: number, signal: AbortSignal) => Promise<Rows>
  readonly toIpc: (rows: Rows) => Promise<Uint8Array>
}

export function createTransformRows({ sandbox, rowsOf, toIpc }: TransformDeps): TransformRows {
  return async ({ code, reads, signal }) => {
    const rows = new Map<number, Rows>()
    for (const n of reads) rows.set(n, await rowsOf(n, signal))
    const [first] = reads
    const data = (first === undefined ? undefined : rows.get(first)) ?? { columns: [], rows: [] }
    return toIpc(await (await sandbox()).run({ code, data, allSteps: rows, signal }))
  }
}
