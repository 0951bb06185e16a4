// What `quarterdeck test` would refuse although the agent runs: told as warnings, where it is written.
import type { AgentTests, Metric, TestFile } from './agent-tests.ts'
import { lookFor } from './look-for-files.ts'
import type { AgentContext } from './resolve-agent.ts'
import { formatPath, type Path } from './value-path.ts'

const readable: readonly TestFile['type'][] = ['image', 'text', 'csv']

export async function checkTests(context: AgentContext, tests: AgentTests): Promise<void> {
  const { source, file } = context
  const refused = (path: Path, what: string): void =>
    source.report({
      ...{ severity: 'warning', code: 'config.unsupported', path, part: 'value' },
      message: `not supported yet: ${what}; "quarterdeck test" refuses it`,
    })
  for (const { metrics, path } of listsThatCount(tests)) {
    metrics.forEach((metric, index) => {
      if (metric.type === 'other' && metric.isEnabled) refused([...path, index], `metric ${metric.name}`)
    })
  }
  for (const [index, block] of (file.test_cases ?? []).entries()) {
    const at: Path = ['test_cases', index]
    for (const [turn, { files }] of (tests.cases[index]?.turns ?? []).entries()) {
      const place = block.turns == null ? [...at, 'files'] : [...at, 'turns', turn, 'files']
      const written = block.turns == null ? block.files : block.turns[turn]?.files
      // One that was refused is left out, so places no longer tell which is which.
      if (files.length !== (written?.length ?? 0)) continue
      for (const [number, { type, path }] of files.entries()) {
        if (!readable.includes(type)) refused([...place, number, 'type'], `files of type ${type}`)
        const consequence = '; "quarterdeck test" refuses it'
        await lookFor(context, { target: path, path: [...place, number, 'path'], severity: 'warning', consequence })
      }
    }
  }
}

interface MetricList {
  readonly metrics: readonly Metric[]
  readonly path: Path
}

/** Of each message the nearest list; the agent's own also while there is no case yet. */
function listsThatCount({ cases, metrics }: AgentTests): readonly MetricList[] {
  const lists = new Map<string, MetricList>()
  const note = (list: MetricList): void => void lists.set(formatPath(list.path), list)
  const own: MetricList = { metrics: metrics ?? [], path: ['evaluations', 'metrics'] }
  if (cases.length === 0) note(own)
  for (const [index, testCase] of cases.entries()) {
    const path: Path = ['test_cases', index]
    for (const [turn, inner] of testCase.turns.entries()) {
      if (inner.metrics !== null) note({ metrics: inner.metrics, path: [...path, 'turns', turn, 'evaluations'] })
      else if (testCase.metrics !== null) note({ metrics: testCase.metrics, path: [...path, 'evaluations'] })
      else note(own)
    }
  }
  return [...lists.values()]
}
