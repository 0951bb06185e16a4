import { type AgentTests, effectiveMetrics, type Metric, type TestCase, type TestTurn } from '../config/agent-tests.ts'
import { defaultMetric } from './measure-text.ts'

/** Of the list that counts those that are on; one that compares texts where nobody lists any. */
export function chooseMetrics(
  turn: Pick<TestTurn, 'metrics' | 'groundTruth'>,
  testCase: Pick<TestCase, 'metrics'>,
  tests: Pick<AgentTests, 'metrics'>,
): readonly Metric[] {
  const { metrics } = effectiveMetrics(turn, testCase, tests)
  if (metrics !== null) return metrics.filter(({ isEnabled }) => isEnabled)
  return turn.groundTruth === null ? [] : [defaultMetric]
}
