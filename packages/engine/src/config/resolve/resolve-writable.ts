import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { isInside } from '../../isolation/real-path.ts'
import { refuseWritable } from '../../isolation/refuse-folder.ts'
import type { AgentContext } from '../agent-context.ts'
import { resolvePath } from '../yaml/project-path.ts'

/** The folders of `workspace.writable`, absolute. Unlike other paths they may be outside of the project. */
export async function resolveWritable({ file, source, options }: AgentContext): Promise<string[]> {
  const folders: string[] = []
  for (const [index, written] of (file.workspace?.writable ?? []).entries()) {
    const path = ['workspace', 'writable', index]
    const home = source.originFileOf(path)
    const target = await resolvePath(written, home.file)
    const isFolder = await stat(target).then(
      (stats) => stats.isDirectory(),
      () => false,
    )
    const why = isFolder ? whyRefused(target, source.file, options.homeDir) : 'it is not a folder: create it first'
    if (why === null) folders.push(target)
    else {
      const message = `"workspace.writable[${index}]" cannot be ${target}: ${why}`
      source.report({ severity: 'error', code: 'config.invalid', path, part: 'value', message })
    }
  }
  return folders
}

function whyRefused(folder: string, agentFile: string, homeDir: string): string | null {
  const dataDir = join(homeDir, '.quarterdeck')
  const why = refuseWritable(folder, { dataDir, locked: [dirname(agentFile)] })
  if (why !== null) return why
  const isHidden = [homedir(), homeDir].some((home) => isInside(home, folder) && relative(home, folder).startsWith('.'))
  return isHidden ? 'it is in a hidden folder of the home folder' : null
}
