// Warns about test cases that cannot pass because no tool of the agent matches an expected tool. Skips agents with MCP
// servers: their tool names are unknown at load time.
import { canonicalToolName, isKnownTool } from '../../permissions/tools/available-tools.ts'
import type { AgentContext } from '../agent-context.ts'
import type { AgentTests } from '../agent-tests.ts'
import { nearestName } from '../problems/nearest-name.ts'
import { type Path, valueAt } from '../problems/value-path.ts'
import { asWritten } from '../schema/describe-issue.ts'
import { certainCallNames, type OfferedTools } from './check-matchers.ts'

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
