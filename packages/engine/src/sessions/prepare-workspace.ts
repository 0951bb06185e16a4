import { cp, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentDefinition, QuarterdeckError, type SessionId, type SessionState } from '@quarterdeck/protocol'
import { dataFolders } from '../data-folders.ts'

/** The folder a session works in: the agent's own, or a copy of it that nobody else has. */
export async function prepareWorkspace(agent: AgentDefinition, dataDir: string, sessionId: SessionId): Promise<string> {
  const source = agent.claude.workingDirectory
  try {
    if (agent.workspace.mode === 'shared') return await realpath(source)
    return await copyFolder(await realpath(source), copyOf(dataDir, sessionId), await realpath(dataDir))
  } catch (cause) {
    const detail = `agent "${agent.name}": the working directory ${source} cannot be used. Check claude.working_directory in ${agent.file}.`
    throw new QuarterdeckError('config.unreadable', detail, { cause })
  }
}

/** A fork shares a shared folder; a copy is copied as it is now, so that files and conversation tell the same story. */
export async function forkWorkspace(source: SessionState, dataDir: string, sessionId: SessionId): Promise<string> {
  if (!(await hasOwnCopy(source, dataDir))) return source.cwd
  return copyFolder(source.cwd, copyOf(dataDir, sessionId), await realpath(dataDir))
}

/** Only a copy that was made for this session. */
export async function removeWorkspace(state: SessionState, dataDir: string): Promise<void> {
  if (await hasOwnCopy(state, dataDir)) await rm(state.cwd, { recursive: true, force: true })
}

/** What was copied for a session that never came to be; nothing happens where nothing was. */
export async function removeCopy(dataDir: string, sessionId: SessionId): Promise<void> {
  await rm(copyOf(dataDir, sessionId), { recursive: true, force: true })
}

const copyOf = (dataDir: string, sessionId: SessionId): string => join(dataFolders(dataDir).workspaces, sessionId)

async function hasOwnCopy({ cwd, sessionId }: SessionState, dataDir: string): Promise<boolean> {
  return cwd === copyOf(await realpath(dataDir), sessionId)
}

/** Entry by entry: the data folder may lie inside the folder that is copied into it. */
async function copyFolder(source: string, target: string, dataDir: string): Promise<string> {
  await mkdir(target, { recursive: true, mode: 0o700 })
  for (const name of await readdir(source)) {
    const entry = join(source, name)
    if (entry === dataDir || dataDir.startsWith(`${entry}/`)) continue
    await cp(entry, join(target, name), { recursive: true, verbatimSymlinks: true })
  }
  return realpath(target)
}
