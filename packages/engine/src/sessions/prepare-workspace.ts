import { cp, mkdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type AgentDefinition, QuarterdeckError, type SessionId } from '@quarterdeck/protocol'

/** The folder a session works in: the agent's own, or a copy of it that nobody else has. */
export async function prepareWorkspace(agent: AgentDefinition, dataDir: string, sessionId: SessionId): Promise<string> {
  const source = agent.claude.workingDirectory
  try {
    if (agent.workspace.mode === 'shared') return await realpath(source)
    const target = join(dataDir, 'workspaces', sessionId)
    await mkdir(target, { recursive: true, mode: 0o700 })
    await cp(source, target, { recursive: true, filter: (path) => basename(path) !== '.quarterdeck' })
    return await realpath(target)
  } catch (cause) {
    const detail = `agent "${agent.name}": the working directory ${source} cannot be used. Check claude.working_directory in ${agent.file}.`
    throw new QuarterdeckError('config.unreadable', detail, { cause })
  }
}
