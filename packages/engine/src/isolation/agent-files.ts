// The files that the processes of an agent (CLI, hook scripts, MCP servers, functions) may read and write.
import { existsSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { dataFolders } from '../system/data-folders.ts'
import { isWithin } from '../system/path-inside.ts'
import { programFilesOf, programFolder } from './agent-programs.ts'
import { installation } from './installation.ts'
import type { FileView } from './mount-plan.ts'
import { realPath } from './real-path.ts'
import { secretFilesOf } from './secret-files.ts'

export type AgentFiles = Pick<FileView, 'writable' | 'locked' | 'hidden' | 'visible'>

export interface AgentFilesOptions {
  /** Files with keys of the server itself. */
  readonly secretFiles?: readonly string[]
  /** Files and folders that decide what the agents of this server may do. */
  readonly lockedPaths?: () => readonly string[]
  /** Where programs are found. */
  readonly path: string
}

/** Services on these sockets would start programs outside of the namespaces. */
const controlSockets = [
  ...['docker.sock', 'containerd', 'crio', 'podman', 'libvirt', 'dbus', 'systemd/private', 'user'],
  ...['snapd.socket', 'snapd-snap.socket', 'lxd', 'incus'],
].map((name) => `/run/${name}`)

export function agentFiles(agent: AgentDefinition, workspace: string, options: AgentFilesOptions): AgentFiles {
  const project = dirname(agent.file)
  const secrets = secretFilesOf(agent.file, options.secretFiles)
  const locked = [...installation, ...(options.lockedPaths?.() ?? []), agent.file]
  const writable = [workspace, ...(agent.workspace.writable ?? [])]
  reserveConfigFiles([...locked, ...secrets], writable)
  return {
    writable,
    locked,
    hidden: [...secrets, ...locked.filter(isEnvFile), ...controlSockets],
    visible: [
      project,
      ...programFilesOf(agent).map(programFolder),
      ...installation,
      dirname(process.execPath),
      ...options.path.split(delimiter),
    ],
  }
}

/** The folder that a session works in: its own copy if there is one, else the working directory of the agent. */
export function workspaceOf(agent: AgentDefinition, dataDir: string, sessionId: SessionId): string {
  const copy = join(dataFolders(dataDir).workspaces, sessionId)
  return existsSync(copy) ? realPath(copy) : agent.claude.workingDirectory
}

const reserved =
  '# Quarterdeck reads this file. It was created empty so that an agent cannot create it: edit it freely.\n'

/**
 * Creates missing configuration files in folders that the agent can write to. A file that does not exist cannot be
 * mounted read-only, so the agent could create it and configure the server.
 */
function reserveConfigFiles(files: readonly string[], writable: readonly string[]): void {
  const folders = writable.map(realPath)
  for (const file of files) {
    if (existsSync(file) || !isConfigFile(file)) continue
    const folder = realPath(dirname(file))
    if (!folders.some((one) => isWithin({ path: folder, folder: one })) || !existsSync(folder)) continue
    try {
      writeFileSync(file, reserved, { flag: 'wx', mode: 0o600 })
    } catch {
      // Either the server's user, and so its agents, cannot write there, or another session has just created the file.
    }
  }
}

const isEnvFile = (file: string): boolean => basename(file) === '.env'

const isConfigFile = (file: string): boolean => /^(?:\.env|.+\.ya?ml)$/.test(basename(file))
