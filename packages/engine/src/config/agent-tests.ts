// The tests of an agent file, resolved: names are known, patterns are compiled, paths are absolute.

export interface AgentTests {
  readonly cases: readonly TestCase[]
  /** `null` if the file lists none. */
  readonly metrics: readonly Metric[] | null
  readonly execution: TestExecution
}

/** Settings from `execution`; command-line flags override them. The turn timeout is a setting of the agent. */
export interface TestExecution {
  readonly parallel: number
  readonly isVerbose: boolean
  readonly isQuiet: boolean
}

export interface TestCase {
  /** As written, or derived from its index. */
  readonly name: string
  /** `single`: one message in its own session. `conversation`: several messages in one session. */
  readonly type: 'single' | 'conversation'
  /** Exactly one for `single`. */
  readonly turns: readonly TestTurn[]
  /** Overrides the metrics of the agent; `null` uses those of the agent. */
  readonly metrics: readonly Metric[] | null
}

export interface TestTurn {
  readonly input: string
  readonly groundTruth: string | null
  readonly expectedTools: readonly ExpectedTool[]
  readonly files: readonly TestFile[]
  /** Overrides the results of search tools; `null` uses those results. */
  readonly retrievalContext: readonly string[] | null
  /** Overrides the metrics of the case; `null` uses those of the case. */
  readonly metrics: readonly Metric[] | null
}

export interface ExpectedTool {
  /** Part of the name the model uses to call it. */
  readonly name: string
  /** By argument name; empty accepts any arguments. */
  readonly args: Readonly<Record<string, ArgumentMatcher>>
  /** Minimum number of calls. */
  readonly count: number
}

export type ArgumentMatcher =
  | { readonly type: 'literal'; readonly value: unknown }
  | { readonly type: 'fuzzy'; readonly text: string }
  /** The pattern is anchored and must match the whole value; `text` is the pattern as written. */
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
  /** `a.b[0].c` in a JSON answer; `null` for the whole answer. */
  readonly responsePath: string | null
  /** If the metric cannot be computed, the run exits with code 4 instead of failing the case. */
  readonly failsOnError: boolean
}

/** Known but not implemented: enabled metrics of this type are refused by name. */
export interface OtherMetric {
  readonly type: 'other'
  /** As shown to users: `rouge`, `geval politeness`, `rag faithfulness`, `code graders:check`. */
  readonly name: string
  readonly isEnabled: boolean
}

/** Test files of other types are refused as not supported yet. */
export const readableTestFiles: readonly TestFile['type'][] = ['image', 'text', 'csv']

export interface EffectiveMetrics {
  /** The level that lists them; `agent` if no level does. */
  readonly of: 'turn' | 'case' | 'agent'
  readonly metrics: readonly Metric[] | null
}

/** The nearest list replaces the others: first the turn's, then the case's, then the agent's. */
export function effectiveMetrics(
  turn: Pick<TestTurn, 'metrics'>,
  testCase: Pick<TestCase, 'metrics'>,
  tests: Pick<AgentTests, 'metrics'>,
): EffectiveMetrics {
  if (turn.metrics !== null) return { of: 'turn', metrics: turn.metrics }
  if (testCase.metrics !== null) return { of: 'case', metrics: testCase.metrics }
  return { of: 'agent', metrics: tests.metrics }
}
