// A real runtime on its own folder: agent files, SQLite, the whole engine. Only the agent is scripted.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createScriptedBackend, silentLogger } from '@quarterdeck/engine'
import type { RuntimeOptions } from './open-runtime.ts'

export type Script = Parameters<typeof createScriptedBackend>[0]['script']

const agentFile = `name: hello
description: Answers from a script
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true } }
`

/** A machine without namespaces. */
export const noIsolation: Awaited<ReturnType<NonNullable<RuntimeOptions['isolation']>>> = {
  pidNamespace: false,
  ownProc: false,
  hidesFiles: false,
  guardsMachine: false,
  prefix: [],
  dropRights: [],
  why: 'no namespaces here',
}

export async function runtimeOptions(
  script: Script = [],
): Promise<Omit<RuntimeOptions, 'role' | 'address' | 'host' | 'canAsk'>> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-runtime-'))
  await mkdir(join(folder, 'agents', 'hello'), { recursive: true })
  await writeFile(join(folder, 'agents', 'hello', 'agent.yaml'), agentFile)
  return {
    dataDir: join(folder, 'data'),
    agentPaths: [join(folder, 'agents')],
    env: {},
    homeDir: folder,
    cwd: folder,
    // The agent is scripted, and tests also run on machines without namespaces.
    allowUnsandboxed: true,
    logger: silentLogger,
    createBackend: () => createScriptedBackend({ script }),
  }
}
