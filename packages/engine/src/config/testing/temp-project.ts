// A temporary folder for a test, outside any git work tree, with an empty home folder.
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LoadOptions } from '../agent-context.ts'
import type { LoadedAgent } from '../load-agent.ts'
import { loadAgent } from '../load-agent.ts'

export type TempProject = Awaited<ReturnType<typeof tempProject>>

/** A key of the right shape that is not valid anywhere. */
export const madeUpKey = 'made-up-key-for-tests-only'

export async function tempProject(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  env: Readonly<Record<string, string>> = { ANTHROPIC_API_KEY: madeUpKey },
) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-config-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = join(root, 'project')
  const options = { env, homeDir: join(root, 'home'), cwd: folder }
  const path = (name: string): string => join(folder, name)
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
    return path(name)
  }
  await mkdir(folder, { recursive: true })
  for (const [name, content] of Object.entries(files)) await write(name, content)
  const load = (name = 'agent.yaml', changes: Partial<LoadOptions> = {}): Promise<LoadedAgent> =>
    loadAgent(path(name), { ...options, ...changes })
  return { folder, options, path, write, load }
}

export const minimalAgent = `name: triage
model:
  provider: anthropic
  name: high
instructions:
  inline: Sort the tickets.
`
