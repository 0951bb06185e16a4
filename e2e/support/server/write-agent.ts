import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newFolder } from './serve.ts'

/** Writes an agent file into its own folder and returns its path. */
export async function writeAgent(text: string): Promise<string> {
  const folder = join(await newFolder('agent'), 'agent')
  await mkdir(folder)
  const file = join(folder, 'agent.yaml')
  await writeFile(file, text)
  return file
}

/** An agent with a shell that needs no approval. */
export const workerAgent = `name: worker
model: { provider: anthropic, name: high }
instructions: { inline: You work. }
claude:
  permission_mode: acceptAll
  bash: { enabled: true }
limits: { max_turns: 3, max_budget_usd: 1 }
`
