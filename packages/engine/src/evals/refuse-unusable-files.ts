// Before anything runs: the files these tests send along, each read once to see that it can be sent.
import { MessageImages, QuarterdeckError } from '@quarterdeck/protocol'
import type { AgentTests, TestTurn } from '../config/agent-tests.ts'
import { buildTestMessage } from './build-test-message.ts'

/** Throws `config.invalid` with everything that is wrong with them. */
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
    return issue === undefined ? null : `pictures ${issue.message}`
  } catch (error) {
    if (error instanceof QuarterdeckError) return error.message
    throw error
  }
}
