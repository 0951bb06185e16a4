// `evaluations:` as users write it: how answers are measured.
import { z } from 'zod'
import { ModelBlock } from './model-block.ts'

const text = z.string().trim().min(1, 'must not be blank')
const switched = (meaning: string) => z.boolean().nullish().describe(meaning)
const score = z.number().min(0).max(1)
const model = ModelBlock.nullish().describe('Who judges; `evaluations.model` unless said.')

const common = {
  enabled: switched('False leaves it out.'),
  fail_on_error: switched('A metric that breaks ends the run instead of failing the case. Off unless true.'),
}

const standardMetrics = [
  'groundedness',
  'relevance',
  'coherence',
  'fluency',
  'bleu',
  'rouge',
  'meteor',
  'equality',
  'contains',
  'numeric',
] as const

const StandardMetric = z.strictObject({
  ...common,
  type: z.literal('standard').describe('May be left out: `metric` says it.'),
  metric: z
    .enum(standardMetrics)
    .describe('`equality` and `contains` run; the others are refused by name when they would.'),
  threshold: z.number().nullish().describe('The least score that passes.'),
  scale: z.number().positive().nullish().describe('The highest score of a judge.'),
  model,
  retry_on_failure: z.int().min(1).max(3).nullish().describe('How often a judge that fails is asked again.'),
  timeout_ms: z.int().positive().nullish().describe('Milliseconds a judge may take.'),
  custom_prompt: text.nullish().describe('What a judge is asked instead.'),
  case_insensitive: switched('Of `equality` and `contains`: case does not count.'),
  strip_whitespace: switched('Of `equality` and `contains`: runs of white space count as one blank.'),
  strip_punctuation: switched('Of `equality` and `contains`: punctuation does not count.'),
  absolute_tolerance: z.number().min(0).nullish().describe('Of `numeric`; 0.000001 unless said.'),
  relative_tolerance: z.number().min(0).nullish().describe('Of `numeric`; 0 unless said.'),
  accept_percent: switched('Of `numeric`: `5 %` is 0.05.'),
  accept_thousands_separators: switched('Of `numeric`: `1,000` is 1000.'),
  response_path: text.nullish().describe('Which part of an answer that is JSON counts, such as `a.b[0].c`.'),
})

const GEvalParam = z.enum(['input', 'actual_output', 'expected_output', 'context', 'retrieval_context'])

const GEvalMetric = z.strictObject({
  ...common,
  type: z.literal('geval').describe('May be left out: `criteria` says it.'),
  name: text.describe('What it is called in reports.'),
  criteria: text.describe('What a good answer is.'),
  evaluation_steps: z.array(text).nullish().describe('How to judge, step by step.'),
  evaluation_params: z.array(GEvalParam).min(1).nullish().describe('What the judge sees; the answer unless said.'),
  strict_mode: switched('All or nothing. Off unless true.'),
  threshold: score.nullish().describe('The least score that passes.'),
  model,
})

const RagMetric = z.strictObject({
  ...common,
  type: z.literal('rag').describe('May be left out: `metric_type` says it.'),
  metric_type: z
    .enum(['faithfulness', 'contextual_relevancy', 'contextual_precision', 'contextual_recall', 'answer_relevancy'])
    .describe('What is measured.'),
  threshold: score.nullish().describe('The least score that passes; 0.5 unless said.'),
  include_reason: switched('Whether the judge says why; true unless said.'),
  model,
})

const CodeMetric = z.strictObject({
  ...common,
  type: z.literal('code').describe('May be left out: `grader` says it.'),
  grader: z
    .string()
    .regex(/^[^:\s]+:[^:\s]+$/, 'expected module:function')
    .describe('`module:function`.'),
  name: text.nullish().describe('What it is called in reports.'),
  threshold: z.number().nullish().describe('The least score that passes.'),
})

export const MetricBlock = z.discriminatedUnion('type', [StandardMetric, GEvalMetric, RagMetric, CodeMetric])
export type MetricBlock = z.infer<typeof MetricBlock>

export const EvaluationsBlock = z.strictObject({
  model: ModelBlock.nullish().describe('The model that judges, for metrics that need one.'),
  metrics: z.array(MetricBlock).min(1).describe('How every answer is measured, unless a case says otherwise.'),
})
export type EvaluationsBlock = z.infer<typeof EvaluationsBlock>

const typeByKey = [
  ['metric', 'standard'],
  ['criteria', 'geval'],
  ['metric_type', 'rag'],
  ['grader', 'code'],
] as const

/** The type of a metric that does not say it. */
export const metricTypeOf = (metric: Readonly<Record<string, unknown>>): string | undefined =>
  typeByKey.find(([key]) => Object.hasOwn(metric, key))?.[1]
