import { cp, lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type AgentDefinition, QuarterdeckError, type SessionId, type SessionState } from '@quarterdeck/protocol'
import { requireNoLink } from '../../isolation/real-path.ts'
import { refuseWorkspace, refuseWritable } from '../../isolation/refuse-folder.ts'
import { dataFolders } from '../../system/data-folders.ts'

export interface WorkspaceLocation {
  readonly dataDir: string
  readonly sessionId: SessionId
  /** Files and folders that decide what the agents of this server may do. */
  readonly locked: readonly string[]
}

/** The working folder of a session: the agent's own, or a copy of it for this session only. */
export async function prepareWorkspace(agent: AgentDefinition, location: WorkspaceLocation): Promise<string> {
  const source = agent.claude.workingDirectory
  const { dataDir, sessionId } = location
  refuseFolders(agent, location)
  try {
    if (agent.workspace.mode === 'shared') return await realpath(source)
    return await copyFolder({
      source: await realpath(source),
      target: copyOf(dataDir, sessionId),
      dataDir: await realpath(dataDir),
    })
  } catch (cause) {
    const detail = `agent "${agent.name}": the working directory ${source} cannot be used. Check claude.working_directory in ${agent.file}.`
    throw new QuarterdeckError('config.unreadable', detail, { cause })
  }
}

function refuseFolders(agent: AgentDefinition, { dataDir, locked }: WorkspaceLocation): void {
  const { mode, writable = [] } = agent.workspace
  const source = agent.claude.workingDirectory
  for (const folder of [source, ...writable]) requireNoLink(folder)
  const why = mode === 'shared' ? refuseWorkspace(source, dataDir) : null
  if (why !== null) {
    const message = `agent "${agent.name}" cannot work in ${source}: ${why}. Set claude.working_directory in ${agent.file} to another folder.`
    throw new QuarterdeckError('config.invalid', message)
  }
  for (const folder of writable) {
    const reason = refuseWritable(folder, { dataDir, locked: [dirname(agent.file), ...locked] })
    if (reason === null) continue
    const message = `agent "${agent.name}" cannot write to ${folder}: ${reason}. Remove it from workspace.writable in ${agent.file}.`
    throw new QuarterdeckError('config.invalid', message)
  }
}

/** A fork shares a shared folder. A copy is copied as it is now, so that files and conversation match. */
export async function forkWorkspace(source: SessionState, dataDir: string, sessionId: SessionId): Promise<string> {
  if (!(await hasOwnCopy(source, dataDir))) return source.cwd
  const dataFolder = await realpath(dataDir)
  return copyFolder({ source: source.cwd, target: copyOf(dataDir, sessionId), dataDir: dataFolder })
}

/** Removes only a copy that was made for this session. */
export async function removeWorkspace(state: SessionState, dataDir: string): Promise<void> {
  if (await hasOwnCopy(state, dataDir)) await rm(state.cwd, { recursive: true, force: true })
}

/** Removes the copy for a session that could not be created, if there is one. */
export async function removeCopy(dataDir: string, sessionId: SessionId): Promise<void> {
  await rm(copyOf(dataDir, sessionId), { recursive: true, force: true })
}

const copyOf = (dataDir: string, sessionId: SessionId): string => join(dataFolders(dataDir).workspaces, sessionId)

async function hasOwnCopy({ cwd, sessionId }: SessionState, dataDir: string): Promise<boolean> {
  return cwd === copyOf(await realpath(dataDir), sessionId)
}

interface FolderCopy {
  readonly source: string
  readonly target: string
  readonly dataDir: string
}

/** Entry by entry, because the data folder may lie inside the folder that is copied into it. */
async function copyFolder({ source, target, dataDir }: FolderCopy): Promise<string> {
  await mkdir(target, { recursive: true, mode: 0o700 })
  for (const name of await readdir(source)) {
    const entry = join(source, name)
    if (entry === dataDir || dataDir.startsWith(`${entry}/`)) continue
    await cp(entry, join(target, name), { recursive: true, verbatimSymlinks: true, filter: isCopied })
  }
  return realpath(target)
}

/** Environment files contain secrets. Pipes, sockets and devices cannot be copied. */
async function isCopied(path: string): Promise<boolean> {
  if (basename(path) === '.env') return false
  const stats = await lstat(path)
  return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
}
