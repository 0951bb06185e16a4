// Warns about tests that `quarterdeck test` refuses, or that cannot pass, although the agent itself runs.
import { canonicalToolName, isKnownTool } from '../../permissions/tools/available-tools.ts'
import type { AgentContext } from '../agent-context.ts'
import { type AgentTests, effectiveMetrics, type Metric, readableTestFiles } from '../agent-tests.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { formatPath, type Path, valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { certainCallNames, type OfferedTools } from './check-matchers.ts'
import { checkFile } from './check-named-files.ts'

export async function checkTests(context: AgentContext, tests: AgentTests): Promise<void> {
  const { source, file } = context
  const consequence = '; "quarterdeck test" refuses it'
  const refused = (path: Path, what: string): void => {
    const message = `not supported yet: ${what}${consequence}`
    source.report({ severity: 'warning', code: 'config.unsupported', path, part: 'value', message })
  }
  for (const { metrics, path } of effectiveMetricLists(tests)) {
    metrics.forEach((metric, index) => {
      if (metric.type === 'other' && metric.isEnabled) refused([...path, index], `metric ${metric.name}`)
    })
  }
  for (const [index, block] of (file.test_cases ?? []).entries()) {
    const at: Path = ['test_cases', index]
    for (const [turn, { files }] of (tests.cases[index]?.turns ?? []).entries()) {
      const filesPath = block.turns == null ? [...at, 'files'] : [...at, 'turns', turn, 'files']
      const written = block.turns == null ? block.files : block.turns[turn]?.files
      // Refused files are left out, so indices no longer correspond.
      if (files.length !== (written?.length ?? 0)) continue
      for (const [number, { type, path }] of files.entries()) {
        if (!readableTestFiles.includes(type)) refused([...filesPath, number, 'type'], `files of type ${type}`)
        if (context.options.checksFiles !== true) continue
        const named = { target: path, path: [...filesPath, number, 'path'], severity: 'warning', consequence } as const
        await checkFile(context, named)
      }
    }
  }
}

const metricPaths = {
  turn: (index: number, turn: number): Path => ['test_cases', index, 'turns', turn, 'evaluations'],
  case: (index: number): Path => ['test_cases', index, 'evaluations'],
  agent: (): Path => ['evaluations', 'metrics'],
}

interface MetricList {
  readonly metrics: readonly Metric[]
  readonly path: Path
}

/** The effective list of each message; the agent's own list if there are no cases. */
function effectiveMetricLists(tests: AgentTests): readonly MetricList[] {
  const lists = new Map<string, MetricList>()
  const note = (list: MetricList): void => void lists.set(formatPath(list.path), list)
  if (tests.cases.length === 0) note({ metrics: tests.metrics ?? [], path: metricPaths.agent() })
  for (const [index, testCase] of tests.cases.entries()) {
    for (const [turn, inner] of testCase.turns.entries()) {
      const { of, metrics } = effectiveMetrics(inner, testCase, tests)
      note({ metrics: metrics ?? [], path: metricPaths[of](index, turn) })
    }
  }
  return [...lists.values()]
}

/** Warns about cases that expect a tool the agent lacks. Tool names of MCP servers are unknown at load time. */
export function checkExpectedTools(context: AgentContext, tests: AgentTests, offered: OfferedTools): void {
  const { source, file } = context
  const isCertain =
    (file.tools ?? []).length === offered.tools.length && offered.tools.every(({ type }) => type !== 'mcp')
  if (!isCertain) return
  const called = certainCallNames(context, offered)
  const own = offered.tools.map(({ name }) => name)
  for (const { name, at } of expectedIn(tests)) {
    if (called.some((one) => one.includes(name))) continue
    const path = typeof valueAt(source.value, at) === 'string' ? at : [...at, 'name']
    const isOff = isKnownTool(canonicalToolName(name))
    const why = `has "${asWritten(source, path, name)}" in its name${isOff ? ' (it is disabled)' : ''}`
    const message = `no tool of this agent ${why}: the case cannot pass`
    const suggestion = isOff ? undefined : nearestName(name, [...own, ...called])
    source.report({ severity: 'warning', code: 'config.no-effect', path, part: 'value', message, suggestion })
  }
}

const expectedIn = ({ cases }: AgentTests): readonly { readonly name: string; readonly at: Path }[] =>
  cases.flatMap(({ type, turns }, index) =>
    turns.flatMap(({ expectedTools }, turn) => {
      const turnPath: Path = ['test_cases', index, ...(type === 'single' ? [] : ['turns', turn])]
      return expectedTools.map(({ name }, number) => ({ name, at: [...turnPath, 'expected_tools', number] }))
    }),
  )
