import type { AgentTests, Metric, TestCase, TestTurn } from '../config/agent-tests.ts'
import { defaultMetric } from './measure-text.ts'

/** The nearest list counts, whole: the message's own, its case's, the agent's. */
export function chooseMetrics(
  turn: Pick<TestTurn, 'metrics' | 'groundTruth'>,
  testCase: Pick<TestCase, 'metrics'>,
  tests: Pick<AgentTests, 'metrics'>,
): readonly Metric[] {
  const listed = turn.metrics ?? testCase.metrics ?? tests.metrics
  if (listed !== null) return listed.filter(({ isEnabled }) => isEnabled)
  return turn.groundTruth === null ? [] : [defaultMetric]
}
