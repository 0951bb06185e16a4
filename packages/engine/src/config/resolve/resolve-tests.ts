// Resolves `evaluations`, `test_cases` and `execution` for the test command.
import { isRecord } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import type {
  AgentTests,
  ArgumentMatcher,
  ExpectedTool,
  Metric,
  TestCase,
  TestFile,
  TestTurn,
  TextMetric,
} from '../agent-tests.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import type { MetricBlock } from '../schema/evaluations-block.ts'
import type { ExpectedToolBlock, TestCaseBlock, TurnBlock } from '../schema/test-cases-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'

export async function resolveTests(context: AgentContext): Promise<AgentTests> {
  const { evaluations, test_cases: blocks, execution } = context.file
  const cases: TestCase[] = []
  for (const [index, block] of (blocks ?? []).entries()) cases.push(await resolveCase(context, block, index))
  return {
    cases,
    metrics: resolveMetrics(context, evaluations?.metrics, ['evaluations', 'metrics']),
    execution: {
      parallel: execution?.parallel_test_cases ?? 1,
      isVerbose: execution?.verbose ?? false,
      isQuiet: execution?.quiet ?? false,
    },
  }
}

const ofOneMessage = ['input', 'ground_truth', 'expected_tools', 'files', 'retrieval_context'] as const

async function resolveCase(context: AgentContext, block: TestCaseBlock, index: number): Promise<TestCase> {
  const { source } = context
  const path: Path = ['test_cases', index]
  const name = block.name ?? `case ${index + 1}`
  const metrics = resolveMetrics(context, block.evaluations, [...path, 'evaluations'])
  // As written: problems of removed entries are already reported.
  const hasTurns = valueAt(source.value, [...path, 'turns']) != null
  const hasInput = valueAt(source.value, [...path, 'input']) != null
  if (!hasTurns && !hasInput) {
    source.refuse(path, `test case "${name}" must have either "input" or "turns"`)
  }
  if (!hasTurns) {
    const turn = await resolveTurn(context, { ...block, input: block.input ?? '', evaluations: null }, path)
    return { name, type: 'single', turns: [turn], metrics }
  }
  for (const key of ofOneMessage.filter((field) => block[field] != null)) {
    source.refuse([...path, key], `"${formatPath([...path, key])}" cannot be used with "turns": set it on each turn`)
  }
  const turns: TestTurn[] = []
  for (const [turn, inner] of (block.turns ?? []).entries()) {
    turns.push(await resolveTurn(context, inner, [...path, 'turns', turn]))
  }
  return { name, type: 'conversation', turns, metrics }
}

async function resolveTurn(context: AgentContext, block: TurnBlock, path: Path): Promise<TestTurn> {
  if (block.turn_config != null) {
    const at = [...path, 'turn_config']
    context.source.warnNoEffect(at, 'code graders are not supported yet')
  }
  const files: TestFile[] = []
  for (const [index, { path: written, type, description }] of (block.files ?? []).entries()) {
    const at = [...path, 'files', index, 'path']
    const file = await resolveProjectPath(context, written, at)
    if (file !== null) files.push({ type, path: file, description: description ?? null })
  }
  return {
    input: block.input,
    groundTruth: block.ground_truth ?? null,
    expectedTools: (block.expected_tools ?? []).map((tool, index) =>
      expectedTool(context, tool, [...path, 'expected_tools', index]),
    ),
    files,
    retrievalContext: block.retrieval_context ?? null,
    metrics: resolveMetrics(context, block.evaluations, [...path, 'evaluations']),
  }
}

function expectedTool(context: AgentContext, block: ExpectedToolBlock, path: Path): ExpectedTool {
  if (typeof block === 'string') return { name: block, args: {}, count: 1 }
  const args = Object.entries(block.args ?? {}).map(
    ([name, written]) => [name, matcher(context, written, [...path, 'args', name])] as const,
  )
  return { name: block.name, args: Object.fromEntries(args), count: block.count ?? 1 }
}

/** A value, or a map with only `fuzzy` or only `regex`. */
function matcher({ source }: AgentContext, written: unknown, path: Path): ArgumentMatcher {
  const literal: ArgumentMatcher = { type: 'literal', value: written }
  if (!isRecord(written) || !('fuzzy' in written || 'regex' in written)) return literal
  const refuse = (message: string): ArgumentMatcher => {
    source.refuse(path, `"${formatPath(path)}" ${message}`)
    return literal
  }
  const keys = Object.keys(written)
  if (keys.length > 1) return refuse(`must be {fuzzy: text} or {regex: pattern} alone; found ${keys.join(', ')}`)
  const { fuzzy, regex } = written
  if (fuzzy !== undefined) {
    return typeof fuzzy === 'string' || typeof fuzzy === 'number'
      ? { type: 'fuzzy', text: String(fuzzy) }
      : refuse('must have text after fuzzy')
  }
  if (typeof regex !== 'string') return refuse('must have a pattern after regex')
  try {
    return { type: 'regex', text: regex, pattern: new RegExp(`^(?:${regex})$`, 's') }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : 'it is invalid'
    return refuse(`is not a regular expression: ${reason}`)
  }
}

/** The two metrics that compare text run, the others are only known by name. */
function resolveMetrics(
  context: AgentContext,
  blocks: readonly MetricBlock[] | null | undefined,
  path: Path,
): readonly Metric[] | null {
  return blocks?.map((block, index) => resolveMetric(context, block, [...path, index])) ?? null
}

type Standard = Extract<MetricBlock, { type: 'standard' }>

function resolveMetric(context: AgentContext, block: MetricBlock, path: Path): Metric {
  const isEnabled = block.enabled ?? true
  switch (block.type) {
    case 'standard':
      checkStandard(context, block, path)
      if (block.metric !== 'equality' && block.metric !== 'contains') {
        return { type: 'other', name: block.metric, isEnabled }
      }
      return textMetric(block.metric, block)
    case 'geval':
      return { type: 'other', name: `geval ${block.name}`, isEnabled }
    case 'rag':
      return { type: 'other', name: `rag ${block.metric_type}`, isEnabled }
    case 'code':
      return { type: 'other', name: `code ${block.grader}`, isEnabled }
  }
}

const textMetric = (type: TextMetric['type'], block: Standard): TextMetric => ({
  type,
  name: type,
  isEnabled: block.enabled ?? true,
  threshold: block.threshold ?? null,
  isCaseInsensitive: block.case_insensitive ?? false,
  stripsWhitespace: block.strip_whitespace ?? false,
  stripsPunctuation: block.strip_punctuation ?? false,
  responsePath: block.response_path ?? null,
  failsOnError: block.fail_on_error ?? false,
})

const ofText = ['case_insensitive', 'strip_whitespace', 'strip_punctuation'] as const
const ofNumbers = ['absolute_tolerance', 'relative_tolerance', 'accept_percent', 'accept_thousands_separators'] as const
const ofJudges = ['model', 'scale', 'custom_prompt', 'retry_on_failure', 'timeout_ms'] as const
const judged: readonly string[] = ['groundedness', 'relevance', 'coherence', 'fluency']

function checkStandard({ source }: AgentContext, block: Standard, path: Path): void {
  const { metric, response_path: responsePath } = block
  const idle = [
    ...(metric === 'equality' || metric === 'contains' ? [] : ofText),
    ...(metric === 'numeric' ? [] : ofNumbers),
    ...(judged.includes(metric) ? [] : ofJudges),
  ]
  for (const key of idle.filter((name) => block[name] != null)) {
    source.warnNoEffectIn([...path, key], `on ${metric}`)
  }
  if (responsePath == null || responsePattern.test(responsePath)) return
  const at = [...path, 'response_path']
  source.refuseValue(at, `"${formatPath(at)}" must be a path such as a.b[0].c; found "${responsePath}"`)
}

const responsePattern = /^(?:[A-Za-z_][\w-]*|\[\d+\])(?:\.[A-Za-z_][\w-]*|\[\d+\])*$/
