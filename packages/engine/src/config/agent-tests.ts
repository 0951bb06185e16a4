// What an agent file says about its own tests, resolved: every name known, every pattern compiled, every path absolute.

export interface AgentTests {
  readonly cases: readonly TestCase[]
  /** `null`: the file lists none. */
  readonly metrics: readonly Metric[] | null
  readonly execution: TestExecution
}

/** What `execution` says about running them; a flag wins over it. How long a turn may take is the agent's. */
export interface TestExecution {
  readonly parallel: number
  readonly isVerbose: boolean
  readonly isQuiet: boolean
}

export interface TestCase {
  /** As written, or made from its place. */
  readonly name: string
  /** One message in a session of its own, or a conversation. */
  readonly type: 'single' | 'conversation'
  /** Exactly one for `single`. */
  readonly turns: readonly TestTurn[]
  /** Instead of the agent's; `null`: the agent's hold. */
  readonly metrics: readonly Metric[] | null
}

export interface TestTurn {
  readonly input: string
  readonly groundTruth: string | null
  readonly expectedTools: readonly ExpectedTool[]
  readonly files: readonly TestFile[]
  /** Instead of what search tools returned; `null`: that. */
  readonly retrievalContext: readonly string[] | null
  /** Instead of the case's; `null`: the case's hold. */
  readonly metrics: readonly Metric[] | null
}

export interface ExpectedTool {
  /** Part of the name the model calls it by. */
  readonly name: string
  /** By argument; empty when any will do. */
  readonly args: Readonly<Record<string, ArgumentMatcher>>
  /** At least so often. */
  readonly count: number
}

export type ArgumentMatcher =
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'fuzzy'; readonly text: string }
  /** The pattern is anchored, it has to match all of it; the text is as written. */
  | { readonly type: 'regex'; readonly text: string; readonly pattern: RegExp }

export interface TestFile {
  readonly type: 'image' | 'text' | 'csv' | 'pdf' | 'excel' | 'word' | 'powerpoint'
  /** Absolute. */
  readonly path: string
  readonly description: string | null
}

export type Metric = TextMetric | OtherMetric

/** Compares the answer with the ground truth. */
export interface TextMetric {
  readonly type: 'equality' | 'contains'
  readonly name: string
  readonly isEnabled: boolean
  readonly threshold: number | null
  readonly isCaseInsensitive: boolean
  readonly stripsWhitespace: boolean
  readonly stripsPunctuation: boolean
  /** `a.b[0].c` in an answer that is JSON; `null` for all of it. */
  readonly responsePath: string | null
  /** What cannot be measured ends the run with 4 instead of failing the case. */
  readonly failsOnError: boolean
}

/** Known and not yet built: refused by name when it would run. */
export interface OtherMetric {
  readonly type: 'other'
  /** As it is told: `rouge`, `geval politeness`, `rag faithfulness`, `code graders:check`. */
  readonly name: string
  readonly isEnabled: boolean
}

/** Of the others a test says by name that they are not supported yet. */
export const readableTestFiles: readonly TestFile['type'][] = ['image', 'text', 'csv']

export interface EffectiveMetrics {
  /** Who lists them; the agent also where it lists none. */
  readonly of: 'turn' | 'case' | 'agent'
  readonly metrics: readonly Metric[] | null
}

/** The nearest, whole: the message's own, its case's, the agent's. */
export function effectiveMetrics(
  turn: Pick<TestTurn, 'metrics'>,
  testCase: Pick<TestCase, 'metrics'>,
  tests: Pick<AgentTests, 'metrics'>,
): EffectiveMetrics {
  if (turn.metrics !== null) return { of: 'turn', metrics: turn.metrics }
  if (testCase.metrics !== null) return { of: 'case', metrics: testCase.metrics }
  return { of: 'agent', metrics: tests.metrics }
}
