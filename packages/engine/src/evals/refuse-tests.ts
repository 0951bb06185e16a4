// Refuses tests that cannot run, before any of them starts.
import { MessageImages, QuarterdeckError } from '@quarterdeck/protocol'
import { type AgentTests, readableTestFiles, type TestTurn } from '../config/agent-tests.ts'
import { buildTestMessage } from './build-test-message.ts'
import { chooseMetrics } from './choose-metrics.ts'

/** Throws `config.unsupported` with all unsupported metrics and file types. */
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

/** Reads each attached file once. Throws `config.invalid` with all files that cannot be sent. */
export async function refuseUnusableFiles(tests: Pick<AgentTests, 'cases'>): Promise<void> {
  const lines: string[] = []
  for (const { name, turns } of tests.cases) {
    for (const turn of turns) {
      const problem = await problemOf(turn)
      if (problem !== null) lines.push(`case "${name}": ${problem}`)
    }
  }
  if (lines.length > 0) throw new QuarterdeckError('config.invalid', lines.join('\n'))
}

async function problemOf(turn: TestTurn): Promise<string | null> {
  if (turn.files.length === 0) return null
  try {
    const { images } = await buildTestMessage(turn)
    const issue = MessageImages.safeParse(images).error?.issues[0]
    return issue === undefined ? null : `images ${issue.message}`
  } catch (error) {
    if (error instanceof QuarterdeckError) return error.message
    throw error
  }
}
