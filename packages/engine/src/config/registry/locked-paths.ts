// The files that decide what an agent may do. No agent may change them, even if they are in its workspace.
import { dirname } from 'node:path'
import { programFilesOf } from '../../isolation/agent-programs.ts'
import { isInside } from '../../isolation/real-path.ts'
import type { LoadedAgent } from '../load-agent.ts'

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
