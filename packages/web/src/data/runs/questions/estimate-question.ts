// Estimates the cost of a question from earlier ones of this analysis, otherwise from a typical one.
import { type ModelPrice, type ModelSummary, type ModelTier, modelCatalog, tierMultiplier } from '@quarterdeck/protocol'
import type { Analysis, Run } from '../../domain/analysis.ts'
import type { AnalysisQuestion, QuestionEstimate } from '../../domain/data-services.ts'

/** Four requests, each with the tables and the conversation so far. */
const usualTokens = { input: 9000, output: 900 }
const thinkingTokens = 2000

/** Tokens of a column in the prompt of every request. */
const columnTokens = 12
const usualRequests = 4

export interface EstimateBasis {
  readonly analysis: Analysis
  /** The tables in scope. */
  readonly columns: number
  /** From the server, or from the built-in catalog until it answered. */
  readonly models: readonly ModelSummary[]
}

export function estimateQuestion(
  { tier, thinking }: AnalysisQuestion,
  { analysis, columns, models }: EstimateBasis,
): QuestionEstimate {
  const earlier = analysis.runs.filter((run) => run.answer !== null && run.thinking === thinking)
  const tokens = earlier.length > 0 ? usedTokens(earlier) : guessedTokens(columns, thinking)
  const units = Math.round((tokens.input + tokens.output) * tierMultiplier[tier])
  const price = priceOfTier(tier, models)
  const costUsd = price === null ? null : (tokens.input * price.input + tokens.output * price.output) / 1_000_000
  return { units, costUsd }
}

interface QuestionTokens {
  readonly input: number
  readonly output: number
}

const guessedTokens = (columns: number, thinking: boolean): QuestionTokens => ({
  input: usualTokens.input + columns * columnTokens * usualRequests,
  output: usualTokens.output + (thinking ? thinkingTokens : 0),
})

/** Cached tokens cost next to nothing. */
const usedTokens = (runs: readonly Run[]): QuestionTokens => ({
  input: median(runs.map(({ answer }) => (answer?.usage.inputTokens ?? 0) - (answer?.usage.cachedInputTokens ?? 0))),
  output: median(runs.map(({ answer }) => answer?.usage.outputTokens ?? 0)),
})

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
  return sorted.length % 2 === 1 ? middle : (middle + (sorted[sorted.length / 2 - 1] ?? middle)) / 2
}

function priceOfTier(tier: ModelTier, models: readonly ModelSummary[]): ModelPrice | null {
  const known = models.length > 0 ? models : modelCatalog
  return known.find((model) => model.tier === tier)?.price ?? null
}
