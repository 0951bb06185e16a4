// The proofs of all answers of an analysis, from the rows of its steps.
import { type Analysis, type AnalysisStep, hasRows, type Run } from '../domain/analysis.ts'
import type { Rows } from '../domain/cells.ts'
import type { AnswerPiece } from '../domain/proof.ts'
import { proveNumbers } from './prove-numbers.ts'

export interface RunProof {
  readonly pieces: readonly AnswerPiece[]
  /** The successful steps of this run and earlier ones. */
  readonly rowsByStep: ReadonlyMap<number, LoadedStepRows>
}

export type LoadedStepRows = Rows & { readonly rowCount: number | null }
export type Proofs = ReadonlyMap<string, RunProof>

export interface AnswerProofsOptions {
  readonly rows: (n: number, maxRows: number, signal: AbortSignal) => Promise<Rows>
  /** Called whenever a proof is added, changes or is removed. */
  readonly onProofs: (proofs: Proofs) => void
}

export type AnswerProofs = ReturnType<typeof createAnswerProofs>

/** The limit of stored rows of a step. */
export const stepRowLimit = 10_000

/**
 * While rows of an answer are unavailable, nothing is proven or marked as unverified. A step whose rows cannot be
 * restored proves nothing.
 */
export function createAnswerProofs({ rows, onProofs }: AnswerProofsOptions) {
  const leaving = new AbortController()
  const read = new Map<string, LoadedStepRows>()
  const versions = new Map<string, string>()
  let proofs: Proofs = new Map()
  let wanted: Pick<Analysis, 'runs'> | null = null
  let isReading = false

  async function rowsOf(step: AnalysisStep): Promise<LoadedStepRows | null> {
    const key = versionOf(step)
    const known = read.get(key)
    if (known !== undefined) return known
    const found = await rows(step.n, stepRowLimit, leaving.signal).catch(() => null)
    if (found === null) return null
    const { columns, rows: list } = found
    const loaded = { columns, rows: list, rowCount: step.rowCount }
    read.set(key, loaded)
    return loaded
  }

  function show(run: Run, rowsByStep: ReadonlyMap<number, LoadedStepRows>, version: string): void {
    if (run.answer === null || (rowsByStep.size === 0 && run.steps.some(hasRows))) return hide(run.id)
    if (versions.get(run.id) === version) return
    versions.set(run.id, version)
    proofs = new Map(proofs).set(run.id, { pieces: proveNumbers(run.answer, rowsByStep), rowsByStep })
    onProofs(proofs)
  }

  function hide(runId: string): void {
    if (!versions.delete(runId)) return
    proofs = new Map([...proofs].filter(([id]) => id !== runId))
    onProofs(proofs)
  }

  /** Cancelled when a newer state has to be proven; finished reads stay cached. */
  async function prove({ runs }: Pick<Analysis, 'runs'>): Promise<void> {
    const rowsByStep = new Map<number, LoadedStepRows>()
    const parts: string[] = []
    const answered = runs.slice(0, runs.findLastIndex(({ answer }) => answer !== null) + 1)
    for (const run of answered) {
      for (const step of run.steps.filter(hasRows)) {
        const found = await rowsOf(step)
        if (wanted !== null || leaving.signal.aborted) return
        if (found === null) continue
        rowsByStep.set(step.n, found)
        parts.push(versionOf(step))
      }
      show(run, new Map(rowsByStep), JSON.stringify([run.answer, parts]))
    }
    for (const id of [...versions.keys()].filter((id) => !answered.some((run) => run.id === id))) hide(id)
    for (const key of [...read.keys()].filter((key) => !parts.includes(key))) read.delete(key)
  }

  async function readOn(): Promise<void> {
    if (isReading) return
    isReading = true
    while (wanted !== null && !leaving.signal.aborted) {
      const analysis = wanted
      wanted = null
      await prove(analysis)
    }
    isReading = false
  }

  return {
    /** Each step is read once per run of it. Failed reads are retried. */
    update(analysis: Pick<Analysis, 'runs'>) {
      wanted = analysis
      void readOn()
    },
    close: () => leaving.abort(),
  }
}

const versionOf = ({ n, startedAt, elapsedMs, rowCount }: AnalysisStep): string =>
  [n, startedAt, elapsedMs, rowCount].join(' ')
