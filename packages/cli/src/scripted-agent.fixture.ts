// An agent file on disk and the script that answers in its place: everything between is the real house.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createScriptedBackend } from '@quarterdeck/engine'
import type { BackendChoice } from './open-agent.ts'

export type Script = Parameters<typeof createScriptedBackend>[0]['script']

export const agentText = `name: tester
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true } }
limits: { max_turns: 50, max_budget_usd: 2 }
`

/** The path of the file. */
export async function writeAgent(folder: string, text = agentText): Promise<string> {
  const file = join(folder, 'agent.yaml')
  await writeFile(file, text)
  return file
}

export const scripted = (script: Script): BackendChoice => ({
  createBackend: () => createScriptedBackend({ script }),
})

export const say = (...chunks: readonly string[]) => ({ type: 'text', chunks }) as const

export const bash = (command: string) =>
  ({
    type: 'tool',
    name: 'Bash',
    input: { command },
    result: (input: object) => `ran ${JSON.stringify(input)}`,
  }) as const
