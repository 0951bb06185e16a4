import { type AgentTests, effectiveMetrics, type Metric, type TestCase, type TestTurn } from '../config/agent-tests.ts'
import { defaultMetric } from './measure-text.ts'

/** The enabled metrics of the effective list, or the default text comparison if no list exists. */
export function chooseMetrics(
  turn: Pick<TestTurn, 'metrics' | 'groundTruth'>,
  testCase: Pick<TestCase, 'metrics'>,
  tests: Pick<AgentTests, 'metrics'>,
): readonly Metric[] {
  const { metrics } = effectiveMetrics(turn, testCase, tests)
  if (metrics !== null) return metrics.filter(({ isEnabled }) => isEnabled)
  return turn.groundTruth === null ? [] : [defaultMetric]
}
