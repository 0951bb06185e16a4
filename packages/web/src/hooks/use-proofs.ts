import { useEffect, useMemo, useState } from 'react'
import type { Analysis, Run } from '../analysis/analysis.ts'
import type { Rows } from '../analysis/cells.ts'
import { proveNumbers } from '../analysis/proof/prove-numbers.ts'
import type { AnswerPiece } from '../analysis/proof.ts'
import type { EngineState, OpenAnalysis } from '../analysis/workspace.ts'

export interface RunProof {
  readonly pieces: readonly AnswerPiece[]
  readonly rowsByStep: ReadonlyMap<number, Rows>
}

/**
 * For every answered question, the rows of its steps and what they prove; read again when a step has other rows. While
 * the rows are not to be had nothing is proven and nothing is called unverified.
 */
export function useProofs(
  open: OpenAnalysis,
  analysis: Analysis,
  engine: EngineState['status'],
): ReadonlyMap<string, RunProof> {
  const [proofs, setProofs] = useState<ReadonlyMap<string, RunProof>>(new Map())
  const version = useMemo(() => versionOf(analysis), [analysis])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says when the rows of this analysis are others
  useEffect(() => {
    let isLeft = false
    async function read(): Promise<void> {
      for (const run of analysis.runs.filter(({ answer }) => answer !== null)) {
        const rowsByStep = await open.provingRows(run.id)
        if (isLeft) return
        if (rowsByStep.size === 0 && run.steps.some(({ state }) => state === 'ok' || state === 'stale')) continue
        const proof = proofOf(run, withCounts(rowsByStep, analysis))
        setProofs((before) => new Map(before).set(run.id, proof))
      }
    }
    // Without rows (the engine is not there yet) the answers are shown as they are.
    read().catch(() => undefined)
    return () => {
      isLeft = true
    }
  }, [open, version, engine])
  return proofs
}

const versionOf = ({ runs }: Analysis): string =>
  JSON.stringify(
    runs.map(({ id, answer, steps }) => [
      id,
      answer === null,
      steps.map(({ n, state, startedAt, elapsedMs }) => [n, state, startedAt, elapsedMs]),
    ]),
  )

function proofOf({ answer }: Run, rowsByStep: ReadonlyMap<number, Rows>): RunProof {
  return { pieces: answer === null ? [] : proveNumbers(answer, rowsByStep), rowsByStep }
}

function withCounts(rowsByStep: ReadonlyMap<number, Rows>, { runs }: Analysis): ReadonlyMap<number, Rows> {
  const counts = new Map(runs.flatMap(({ steps }) => steps.map(({ n, rowCount }) => [n, rowCount])))
  return new Map([...rowsByStep].map(([n, rows]) => [n, { ...rows, rowCount: counts.get(n) ?? null }]))
}
