// The files that decide what an agent may do. No agent may change them, even if they are in its workspace.
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { AgentDefinition } from '@quarterdeck/protocol'
import { isInside } from '../isolation/mount-plan.ts'
import { isProgram } from '../isolation/program-file.ts'
import type { LoadedAgent } from './load-agent.ts'

/** The agent file and its folder, the files it is made of (existing or not), and the programs it names. */
export function lockedPathsOf({ file, dependencies, agent }: LoadedAgent): readonly string[] {
  const folder = dirname(file)
  const programs = agent === null ? [] : programFilesOf(agent)
  return [folder, file, ...dependencies, ...programs.map((program) => withItsFolder(program, folder))]
}

/** Modules import files beside them, so a folder inside the agent's own is locked as a whole. */
function withItsFolder(program: string, agentFolder: string): string {
  const folder = dirname(program)
  return isInside(agentFolder, folder) ? folder : program
}

function programFilesOf({ tools, hooks }: AgentDefinition): readonly string[] {
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

interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

const programName = /\.(?:[cm]?[jt]sx?|py|rb|pl|php|sh|bash|lua|jar|wasm)$/

/** Only files that are programs: other arguments may be data that the program writes. */
function filesOf({ command, args, cwd }: Command): readonly string[] {
  const named = [command, ...args].filter((word) => word !== '').map((word) => resolve(cwd, word))
  return named.filter(
    (file) => existsSync(file) && statSync(file).isFile() && (programName.test(file) || isProgram(file)),
  )
}
