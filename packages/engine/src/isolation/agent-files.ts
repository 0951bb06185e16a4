// Which files the processes of an agent may read and write: its CLI, its hook scripts, its MCP servers, its functions.
import { existsSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { dataFolders } from '../data-folders.ts'
import { installation } from './installation.ts'
import { type FileView, isInside, realPath } from './mount-plan.ts'
import { secretFilesOf } from './secret-files.ts'

export type AgentFiles = Pick<FileView, 'writable' | 'locked' | 'hidden' | 'visible'>

export interface AgentSurroundings {
  /** Files with keys of the server itself. */
  readonly secretFiles?: readonly string[]
  /** Files and folders that decide what the agents of this server may do. */
  readonly lockedPaths?: () => readonly string[]
  /** Where programs are found. */
  readonly path: string
}

/** Through these sockets root could control the machine from outside of its namespace. */
const controlSockets = ['docker.sock', 'containerd', 'crio', 'podman', 'libvirt', 'dbus', 'systemd/private'].map(
  (name) => `/run/${name}`,
)

export function agentFiles(agent: AgentDefinition, workspace: string, around: AgentSurroundings): AgentFiles {
  const project = dirname(agent.file)
  const secrets = secretFilesOf(agent.file, around.secretFiles)
  const locked = [...installation, ...(around.lockedPaths?.() ?? []), agent.file]
  const writable = [workspace, ...(agent.workspace.writable ?? [])]
  reserveConfigFiles([...locked, ...secrets], writable)
  return {
    ...{ writable, locked },
    hidden: [...secrets, ...controlSockets],
    visible: [
      project,
      ...moduleFolders(agent),
      ...installation,
      dirname(process.execPath),
      ...around.path.split(delimiter),
    ],
  }
}

/** Modules may lie outside of the agent's folder. */
const moduleFolders = ({ tools }: AgentDefinition): readonly string[] =>
  tools.flatMap((tool) => {
    if (tool.type === 'function') return [dirname(tool.file)]
    return tool.type === 'mcp' && tool.transport.type === 'in_process' ? [dirname(tool.transport.file)] : []
  })

/** Where a session of this agent works: in its own copy, else in the folder of the agent file. */
export function workspaceOf(agent: AgentDefinition, dataDir: string, sessionId: SessionId): string {
  const copy = join(dataFolders(dataDir).workspaces, sessionId)
  return existsSync(copy) ? copy : agent.claude.workingDirectory
}

const reserved =
  '# Quarterdeck reads this file. It was created empty so that an agent cannot create it: edit it freely.\n'

/**
 * A configuration file that does not exist cannot be mounted read-only. Where an agent could create it, and so configure
 * the server, an empty one is created first.
 */
function reserveConfigFiles(files: readonly string[], writable: readonly string[]): void {
  const folders = writable.map(realPath)
  for (const file of files) {
    if (existsSync(file) || !isConfigFile(file)) continue
    const folder = realPath(dirname(file))
    if (!folders.some((one) => one === folder || isInside(one, folder)) || !existsSync(folder)) continue
    try {
      writeFileSync(file, reserved, { flag: 'wx', mode: 0o600 })
    } catch {
      // The server's user cannot write there, so its agents cannot either; or another session was faster.
    }
  }
}

const isConfigFile = (file: string): boolean => /^(?:\.env|.+\.ya?ml)$/.test(basename(file))
