// Before anything runs: what these tests ask for and nobody can do yet.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { type AgentTests, readableTestFiles } from '../config/agent-tests.ts'
import { chooseMetrics } from './choose-metrics.ts'

/** Throws `config.unsupported` with each of them by name. */
export function refuseUnsupportedTests(tests: AgentTests): void {
  const cases = new Map<string, Set<string>>()
  const note = (what: string, name: string) => cases.set(what, (cases.get(what) ?? new Set()).add(name))
  for (const testCase of tests.cases) {
    for (const turn of testCase.turns) {
      for (const metric of chooseMetrics(turn, testCase, tests)) {
        if (metric.type === 'other') note(`metric ${metric.name}`, testCase.name)
      }
      for (const { type } of turn.files)
        if (!readableTestFiles.includes(type)) note(`files of type ${type}`, testCase.name)
    }
  }
  if (cases.size === 0) return
  const lines = [...cases].map(([what, names]) => `not supported yet: ${what} (${inCases([...names])})`)
  throw new QuarterdeckError('config.unsupported', lines.join('\n'))
}

function inCases(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `"${name}"`)
  const more = names.length - shown.length
  return `${names.length === 1 ? 'case' : 'cases'} ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}
