// The program files that an agent file names: functions, MCP servers, skills and hook scripts.
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { AgentDefinition } from '@quarterdeck/protocol'
import { isProgram } from './program-file.ts'

export function programFilesOf({ tools, hooks }: AgentDefinition): readonly string[] {
  const ofTools = tools.flatMap((tool) => {
    if (tool.type === 'function') return [tool.file]
    if (tool.type === 'skill') return [resolve(tool.folder, 'SKILL.md')]
    if (tool.type !== 'mcp') return []
    const { transport } = tool
    if (transport.type === 'in_process') return [transport.file]
    return transport.type === 'stdio' ? filesOf(transport) : []
  })
  const ofHooks = hooks.flatMap(({ action }) => (action.type === 'script' ? filesOf(action) : []))
  return [...ofTools, ...ofHooks]
}

/** The folder that a program needs to read: its own, or all installed packages if it is one of them. */
export function programFolder(program: string): string {
  const modules = `${sep}node_modules${sep}`
  const at = program.indexOf(modules)
  return at < 0 ? dirname(program) : program.slice(0, at + modules.length - 1)
}

interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

const programName = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh|bash|lua|jar|wasm)$/

/** Only files that are programs: other arguments may be data that the program writes. */
function filesOf({ command, args, cwd }: Command): readonly string[] {
  const named = [command, ...args].filter((argument) => argument !== '').map((argument) => resolve(cwd, argument))
  return named.filter(
    (file) => existsSync(file) && statSync(file).isFile() && (programName.test(file) || isProgram(file)),
  )
}
