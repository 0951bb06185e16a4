import { useEffect, useMemo, useRef, useState } from 'react'
import type { Analysis } from '../../domain/analysis.ts'
import type { EngineState, OpenAnalysis } from '../../domain/data-services.ts'
import { type AnswerProofs, createAnswerProofs, type Proofs } from '../../proof/create-answer-proofs.ts'

/** The rows and proofs of every answered question, updated when rows of a step change. */
export function useProofs(open: OpenAnalysis, analysis: Analysis, engine: EngineState['status']): Proofs {
  const [proofs, setProofs] = useState<Proofs>(new Map())
  const reader = useRef<AnswerProofs | null>(null)
  const version = useMemo(() => versionOf(analysis), [analysis])
  useEffect(() => {
    const made = createAnswerProofs({ rows: open.rows, onProofs: setProofs })
    reader.current = made
    return made.close
  }, [open])
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows may change with the version and the engine
  useEffect(() => reader.current?.update(analysis), [open, version, engine])
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
