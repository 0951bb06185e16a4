// Builds the tests of an agent file as the runner gets them, with defaults for all other fields.
import type { AgentTests, ExpectedTool, TestCase, TestTurn, TextMetric } from '../config/agent-tests.ts'
import { defaultMetric } from './measure-text.ts'

export const metric = (given: Partial<TextMetric> = {}): TextMetric => ({
  ...defaultMetric,
  isCaseInsensitive: false,
  stripsWhitespace: false,
  name: given.type ?? 'contains',
  ...given,
})

export const tool = (name: string, given: Partial<ExpectedTool> = {}): ExpectedTool => ({
  name,
  args: {},
  count: 1,
  ...given,
})

export const turn = (input: string, given: Partial<TestTurn> = {}): TestTurn => ({
  input,
  groundTruth: null,
  expectedTools: [],
  files: [],
  retrievalContext: null,
  metrics: null,
  ...given,
})

export const single = (input: string, given: Partial<TestTurn> = {}): TestCase => ({
  name: input,
  type: 'single',
  turns: [turn(input, given)],
  metrics: null,
})

export const conversation = (name: string, ...turns: readonly TestTurn[]): TestCase => ({
  name,
  type: 'conversation',
  turns,
  metrics: null,
})

type Given = Partial<Omit<AgentTests, 'execution'>> & { readonly execution?: Partial<AgentTests['execution']> }

export const tests = ({ execution, ...given }: Given = {}): AgentTests => ({
  cases: [],
  metrics: null,
  ...given,
  execution: { parallel: 1, isVerbose: false, isQuiet: false, ...execution },
})
