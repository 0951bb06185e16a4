// Resolves `evaluations`, `test_cases` and `execution` for the test command.
import { isRecord } from '@quarterdeck/protocol'
import type { AgentContext } from '../agent-context.ts'
import type { AgentTests, ArgumentMatcher, ExpectedTool, TestCase, TestFile, TestTurn } from '../agent-tests.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import type { ExpectedToolBlock, TestCaseBlock, TurnBlock } from '../schema/test-cases-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'
import { resolveMetrics } from './resolve-metrics.ts'

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
