// The result of an analysis. The browser fills in the rows.
import { z } from 'zod'

export const chartTypes = ['bar', 'line', 'pie', 'scatter', 'table'] as const

const ChartType = z.enum(chartTypes)

/** Further charts; unknown keys are passed on unchanged. */
const AnalysisChart = z.looseObject({
  sourceStep: z.number(),
  type: ChartType,
  x: z.string().optional(),
  y: z.union([z.string(), z.array(z.string())]).optional(),
  series: z.string().optional(),
  title: z.string().optional(),
})

/** The cell that proves a number of the answer. */
const AnalysisClaim = z.looseObject({
  text: z.string(),
  stepId: z.number(),
  column: z.string().optional(),
  row: z.number().optional(),
  value: z.unknown().optional(),
})

/** The input of `final_answer` from the model. */
export const FinalAnswer = z.object({
  answer: z.string().min(1, 'must not be empty'),
  chartType: ChartType,
  xAxis: z.string().optional(),
  yAxis: z.string().optional(),
  sourceStep: z.number().optional(),
  charts: z.array(AnalysisChart).max(20).optional(),
  claims: z.array(AnalysisClaim).max(200).optional(),
  caveats: z.array(z.string()).max(50).optional(),
  followUps: z.array(z.string()).max(20).optional(),
})
export type FinalAnswer = z.infer<typeof FinalAnswer>

/** Of this question alone, cached tokens included. */
export const AnalysisUsage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** The part of the input tokens from the provider's cache. */
  cachedInputTokens: z.number().optional(),
  /** Tokens times the tier's multiplier. */
  units: z.number(),
  /** `null` if a price is unknown. */
  costUsd: z.number().nullable(),
})
export type AnalysisUsage = z.infer<typeof AnalysisUsage>

export const AnalysisResult = FinalAnswer.extend({ usage: AnalysisUsage }).meta({ id: 'AnalysisResult' })
export type AnalysisResult = z.infer<typeof AnalysisResult>
