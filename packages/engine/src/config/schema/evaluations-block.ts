// `evaluations:` as users write it: how answers are evaluated.
import { isRecord } from '@quarterdeck/protocol'
import { z } from 'zod'
import { ModelBlock } from './model-block.ts'
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'

const score = z.number().min(0).max(1)
const model = optionalSetting(ModelBlock, 'The model that judges. Default: `evaluations.model`.')

const common = {
  enabled: booleanSetting('False disables the metric.'),
  fail_on_error: booleanSetting(
    'If the metric cannot be computed, `test` exits with 4 instead of 1. The case fails either way. Default: false.',
  ),
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
  type: z.literal('standard').describe('May be omitted: `metric` implies it.'),
  metric: z
    .enum(standardMetrics)
    .describe('`equality` and `contains` are supported; an enabled metric of another kind is refused when tests run.'),
  threshold: optionalSetting(z.number(), 'The lowest passing score.'),
  scale: optionalSetting(z.number().positive(), 'The highest score of a judge.'),
  model,
  retry_on_failure: optionalSetting(z.int().min(1).max(3), 'How often a failed request to the judge is retried.'),
  timeout_ms: optionalSetting(z.int().positive(), 'Time limit of a judge in milliseconds.'),
  custom_prompt: optionalSetting(text, 'Replaces the prompt of the judge.'),
  case_insensitive: booleanSetting('For `equality` and `contains`: ignore case.'),
  strip_whitespace: booleanSetting('For `equality` and `contains`: treat runs of white space as one space.'),
  strip_punctuation: booleanSetting('For `equality` and `contains`: ignore punctuation.'),
  absolute_tolerance: optionalSetting(z.number().min(0), 'For `numeric`: allowed difference. Default: 0.000001.'),
  relative_tolerance: optionalSetting(z.number().min(0), 'For `numeric`: allowed difference as a share. Default: 0.'),
  accept_percent: booleanSetting('For `numeric`: read `5 %` as 0.05.'),
  accept_thousands_separators: booleanSetting('For `numeric`: read `1,000` as 1000.'),
  response_path: optionalSetting(text, 'The part of a JSON answer to compare, such as `a.b[0].c`.'),
})

const GEvalParam = z.enum(['input', 'actual_output', 'expected_output', 'context', 'retrieval_context'])

const GEvalMetric = z.strictObject({
  ...common,
  type: z.literal('geval').describe('May be omitted: `criteria` implies it.'),
  name: text.describe('The name in reports.'),
  criteria: text.describe('The description of a good answer.'),
  evaluation_steps: optionalSetting(z.array(text), 'The steps of the evaluation.'),
  evaluation_params: optionalSetting(
    z.array(GEvalParam).min(1),
    'The values that the judge sees. Default: the answer.',
  ),
  strict_mode: booleanSetting('Score only 0 or 1. Default: false.'),
  threshold: optionalSetting(score, 'The lowest passing score.'),
  model,
})

const RagMetric = z.strictObject({
  ...common,
  type: z.literal('rag').describe('May be omitted: `metric_type` implies it.'),
  metric_type: z
    .enum(['faithfulness', 'contextual_relevancy', 'contextual_precision', 'contextual_recall', 'answer_relevancy'])
    .describe('The property to measure.'),
  threshold: optionalSetting(score, 'The lowest passing score. Default: 0.5.'),
  include_reason: booleanSetting('Whether the judge gives a reason. Default: true.'),
  model,
})

const CodeMetric = z.strictObject({
  ...common,
  type: z.literal('code').describe('May be omitted: `grader` implies it.'),
  grader: z
    .string()
    .regex(/^[^:\s]+:[^:\s]+$/, 'expected module:function')
    .describe('The grader, as `module:function`.'),
  name: optionalSetting(text, 'The name in reports.'),
  threshold: optionalSetting(z.number(), 'The lowest passing score.'),
})

export const MetricBlock = z.discriminatedUnion('type', [StandardMetric, GEvalMetric, RagMetric, CodeMetric])
export type MetricBlock = z.infer<typeof MetricBlock>

export const EvaluationsBlock = z.strictObject({
  model: optionalSetting(ModelBlock, 'The model that judges, for metrics that need one.'),
  metrics: z.array(MetricBlock).min(1).describe('Metrics for every answer, unless a case overrides them.'),
})

export const metricStandIn = { type: 'standard', metric: 'equality', enabled: false }

/** A copy in which every metric has its type; users may omit it because the other fields imply it. */
export function nameMetricTypes(file: unknown): unknown {
  if (!isRecord(file)) return file
  const { evaluations, test_cases: cases } = file
  return {
    ...file,
    ...(isRecord(evaluations) ? { evaluations: { ...evaluations, metrics: named(evaluations.metrics) } } : {}),
    ...(Array.isArray(cases) ? { test_cases: cases.map(namedIn) } : {}),
  }
}

function namedIn(part: unknown): unknown {
  if (!isRecord(part)) return part
  const { evaluations, turns } = part
  return {
    ...part,
    ...(evaluations === undefined ? {} : { evaluations: named(evaluations) }),
    ...(Array.isArray(turns) ? { turns: turns.map(namedIn) } : {}),
  }
}

const named = (metrics: unknown): unknown =>
  Array.isArray(metrics) ? metrics.map((metric: unknown) => (isRecord(metric) ? withType(metric) : metric)) : metrics

function withType(metric: Record<string, unknown>): Record<string, unknown> {
  const type = metric.type ?? metricTypeOf(metric)
  return type === undefined ? metric : { ...metric, type }
}

const typeByKey = [
  ['metric', 'standard'],
  ['criteria', 'geval'],
  ['metric_type', 'rag'],
  ['grader', 'code'],
] as const

/** The type implied by the fields of a metric. */
const metricTypeOf = (metric: Readonly<Record<string, unknown>>): string | undefined =>
  typeByKey.find(([key]) => Object.hasOwn(metric, key))?.[1]
