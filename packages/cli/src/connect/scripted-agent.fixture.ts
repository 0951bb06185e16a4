// An agent file on disk and the script that answers for it. Everything in between is the real runtime.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createScriptedBackend } from '@quarterdeck/engine'
import { expect } from 'vitest'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { type BackendChoice, openAgent } from './open-agent.ts'

export type Script = Parameters<typeof createScriptedBackend>[0]['script']

export const agentText = `name: tester
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true } }
limits: { max_turns: 50, max_budget_usd: 2 }
`

/** Returns the path of the file. */
export async function writeAgent(folder: string, text = agentText): Promise<string> {
  const file = join(folder, 'agent.yaml')
  await writeFile(file, text)
  return file
}

export const scripted = (script: Script): BackendChoice => ({ createBackend: () => createScriptedBackend({ script }) })

/**
 * One backend for every version of the agent file: it keeps the conversations, as the real one does on disk. Closing an
 * old version does not close the sessions of the next.
 */
export function sharedScripted(script: Script): BackendChoice {
  const backend = createScriptedBackend({ script })
  return { createBackend: () => ({ ...backend, teardown: async () => undefined }) }
}

export const say = (...chunks: readonly string[]) => ({ type: 'text', chunks }) as const

export const bash = (command: string) =>
  ({
    type: 'tool',
    name: 'Bash',
    input: { command },
    result: (input: object) => `ran ${JSON.stringify(input)}`,
  }) as const

export const key = { ANTHROPIC_API_KEY: 'made-up-for-tests' }

/** A folder whose agent has used up its daily budget. */
export async function folderWithSpentBudget() {
  const { terminal } = await openTestTerminal({ piped: '', env: key })
  const { cwd } = terminal
  const agent = await writeAgent(cwd, `${agentText.replace('simulator', 'anthropic')}gateway: off\n`)
  const spends = scripted([[{ type: 'usage', input: 100_000, output: 100, costUsd: 0.5 }, say('done')]])
  const { runtime, agentName } = await openAgent(terminal, { path: agent, flags: {}, canAsk: false }, spends)
  const { sessions } = runtime.engine
  const { sessionId } = await sessions.createSession({ agent: agentName, message: 'go' }, 'ana')
  await expect.poll(async () => (await sessions.getSession(sessionId)).session.status).toBe('idle')
  await sessions.createBudget({ scope: 'agent', subject: agentName, period: 'day', unit: 'usd', limit: 0.1 }, 'ana')
  await runtime.close()
  return { cwd, agent }
}
