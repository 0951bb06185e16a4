import type { AnalysisResult } from '@quarterdeck/protocol'
import type { Rows } from '../domain/cells.ts'
import type { AnswerPiece, Proof } from '../domain/proof.ts'
import { type NumberToken, numberTokens } from './number-tokens.ts'
import { createStepNumbers, type ProvingRows, type StepNumbers } from './step-numbers.ts'

type Claim = NonNullable<AnalysisResult['claims']>[number]

/**
 * The answer in pieces that join to its text. A number is proven by the cell that the model claimed if it matches to
 * the shown digits, otherwise by a cell of the step that the answer is based on, otherwise of the latest step that has
 * it.
 */
export function proveNumbers(
  answer: Pick<AnalysisResult, 'answer' | 'claims' | 'sourceStep'>,
  rowsByStep: ReadonlyMap<number, ProvingRows>,
): readonly AnswerPiece[] {
  const steps = createSteps(rowsByStep, answer.sourceStep ?? null)
  const claims = (answer.claims ?? []).map((claim) => claimOn(answer.answer, claim))
  const pieces: AnswerPiece[] = []
  let at = 0
  for (const token of numberTokens(answer.answer, steps.names())) {
    const claimed = claims.filter((claim) => isAbout(claim, token))
    if (token.isQuiet && claimed.length === 0) continue
    if (token.start > at) pieces.push({ kind: 'text', text: answer.answer.slice(at, token.start) })
    pieces.push({ kind: 'number', text: token.text, proof: proofOf(token, claimed, steps) })
    at = token.end
  }
  if (at < answer.answer.length) pieces.push({ kind: 'text', text: answer.answer.slice(at) })
  return pieces
}

interface PlacedClaim {
  readonly claim: Claim
  /** The range of the claim's words in the answer; empty if they are only similar. */
  readonly places: readonly { readonly start: number; readonly end: number }[]
  readonly tokens: readonly NumberToken[]
}

function claimOn(answer: string, claim: Claim): PlacedClaim {
  const places: { start: number; end: number }[] = []
  const words = claim.text.trim()
  for (let at = answer.indexOf(words); words !== '' && at >= 0; at = answer.indexOf(words, at + words.length)) {
    places.push({ start: at, end: at + words.length })
  }
  return { claim, places, tokens: numberTokens(words) }
}

/** Compares value and digits: a number that was changed by hand is not the claimed one. */
function isAbout({ places, tokens }: PlacedClaim, token: NumberToken): boolean {
  const isSame = tokens.some(
    ({ value, tolerance, isShare }) =>
      value === token.value && tolerance === token.tolerance && (isShare === token.isShare || places.length > 0),
  )
  return isSame && (places.length === 0 || places.some(({ start, end }) => start < token.end && token.start < end))
}

function proofOf(token: NumberToken, claimed: readonly PlacedClaim[], steps: Steps): Proof | null {
  for (const { claim } of claimed) {
    const found = steps.get(claim.stepId)?.find(token, { row: claim.row ?? null, column: claim.column ?? null })
    if (found != null) return found
  }
  for (const step of steps.inOrder) {
    const found = steps.get(step)?.find(token) ?? null
    if (found !== null) return found
  }
  return null
}

type Steps = ReturnType<typeof createSteps>

function createSteps(rowsByStep: ReadonlyMap<number, ProvingRows>, sourceStep: number | null) {
  const known = new Map<number, StepNumbers>()
  const rank = (step: number) => (step === sourceStep ? Number.POSITIVE_INFINITY : step)
  return {
    /** The step that the answer is based on, then the latest first. */
    inOrder: [...rowsByStep.keys()].sort((one, other) => rank(other) - rank(one)),
    get(step: number): StepNumbers | null {
      const rows = rowsByStep.get(step)
      if (rows === undefined) return null
      const numbers = known.get(step) ?? createStepNumbers(step, rows)
      known.set(step, numbers)
      return numbers
    },
    names: (): ReadonlySet<string> => namesIn(rowsByStep.values()),
  }
}

const mostNames = 20_000

/** Texts with digits in cells and columns: `Depot 12` is not a claim about twelve. */
function namesIn(all: Iterable<Rows>): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { columns, rows } of all) {
    for (const { name } of columns) names.add(name)
    for (const row of rows) {
      for (const cell of row) {
        if (typeof cell === 'string' && cell.length <= 80 && /\d/.test(cell) && /\p{L}/u.test(cell)) names.add(cell)
      }
      if (names.size > mostNames) return names
    }
  }
  return names
}
