import { isMap } from '../problems/value-path.ts'
import { metricTypeOf } from './evaluations-block.ts'

export const metricStandIn = { type: 'standard', metric: 'equality', enabled: false }

/** A copy in which each metric says its type: its own fields tell it, so people may leave it out. */
export function nameMetricTypes(file: unknown): unknown {
  if (!isMap(file)) return file
  const { evaluations, test_cases: cases } = file
  return {
    ...file,
    ...(isMap(evaluations) ? { evaluations: { ...evaluations, metrics: named(evaluations.metrics) } } : {}),
    ...(Array.isArray(cases) ? { test_cases: cases.map(namedIn) } : {}),
  }
}

function namedIn(part: unknown): unknown {
  if (!isMap(part)) return part
  const { evaluations, turns } = part
  return {
    ...part,
    ...(evaluations === undefined ? {} : { evaluations: named(evaluations) }),
    ...(Array.isArray(turns) ? { turns: turns.map(namedIn) } : {}),
  }
}

const named = (metrics: unknown): unknown =>
  Array.isArray(metrics) ? metrics.map((metric: unknown) => (isMap(metric) ? withType(metric) : metric)) : metrics

function withType(metric: Record<string, unknown>): Record<string, unknown> {
  const type = metric.type ?? metricTypeOf(metric)
  return type === undefined ? metric : { ...metric, type }
}
