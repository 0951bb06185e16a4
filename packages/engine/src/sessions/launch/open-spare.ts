// Opens a process for a session that does not exist yet, with the settings of the agent file.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type AgentDefinition, neverAborted, type SessionId } from '@quarterdeck/protocol'
import { createSessionHooks } from '../../hooks/create-session-hooks.ts'
import { allSessionTools } from '../../permissions/tools/session-tools.ts'
import type { ModelAccess } from '../../ports/model-access.ts'
import type { OpenBackend } from '../../processes/agent-process.ts'
import type { SpareProcess } from '../../processes/spares.ts'
import type { RunningSession } from '../state/running-session.ts'
import { createAgentServices } from './agent-services.ts'
import { createDeferredAgentServices, type DeferredAgentServices } from './deferred-agent-services.ts'
import {
  type BackendOpening,
  giveToSession,
  type OpenProcess,
  openProcess,
  recordServerStatus,
} from './open-backend.ts'
import { prepareWorkspace } from './prepare-workspace.ts'

export async function openSpare(
  opening: BackendOpening,
  agent: AgentDefinition,
  sessionId: SessionId,
): Promise<SpareProcess<RunningSession>> {
  const { models, dataDir, spareNotes } = opening
  const backend = await opening.backendOf(agent)
  await spareNotes.add(sessionId)
  const cwd = await prepareWorkspace(agent, { dataDir, sessionId, locked: opening.agents.lockedPaths() })
  const deferred = createDeferredAgentServices(createSessionHooks(opening.hooksOf(agent), sessionId))
  /** For a spare that was never taken. */
  async function removeFiles(): Promise<void> {
    await backend.forget(sessionId)
    if (agent.workspace.mode === 'copy') await rm(cwd, { recursive: true, force: true })
    await spareNotes.remove(sessionId)
  }
  try {
    const modelAccess = await models.openSession(sessionId, agent, 'nobody')
    const { modelSource, limits } = agent
    const { permissionMode, thinking } = agent.claude
    const atEnd: (() => void)[] = []
    const process = await openProcess(opening, {
      agent,
      backend,
      sessionId,
      cwd,
      modelAccess,
      modelSource,
      limits,
      permissionMode,
      thinking,
      ...deferred.services,
      chosen: { model: agent.model.id, lastModel: null },
      sessionTools: allSessionTools,
      resume: null,
      signal: neverAborted(),
      listen: () => () => {
        for (const end of atEnd) end()
      },
    })
    return {
      warm: process.session.warm,
      claim: () => emptyCopy(agent, cwd),
      bind: (running) => bindSpare(opening, { agent, modelAccess, deferred, process, atEnd }, running),
      async close({ isTaken }) {
        try {
          await process.session.close()
        } finally {
          models.closeSession(sessionId)
        }
        if (!isTaken) await removeFiles()
      },
    }
  } catch (error) {
    models.closeSession(sessionId)
    await removeFiles()
    throw error
  }
}

interface Spare {
  readonly agent: AgentDefinition
  readonly modelAccess: ModelAccess
  readonly deferred: DeferredAgentServices
  readonly process: OpenProcess
  /** Called when the process ends. */
  readonly atEnd: (() => void)[]
}

async function bindSpare(opening: BackendOpening, spare: Spare, running: RunningSession): Promise<OpenBackend | null> {
  const { agent, modelAccess, process, atEnd } = spare
  const { subagents, ...services } = createAgentServices(opening, running, agent)
  atEnd.push(spare.deferred.bind(services))
  const { sessionId, owner, limits } = running.writer.state()
  await opening.spareNotes.remove(sessionId)
  const access = await opening.models.openSession(sessionId, agent, owner)
  // The key has changed: the one that the process was started with is refused now.
  if (!isDeepStrictEqual(access, modelAccess)) return null
  atEnd.push(recordServerStatus(process.toolbox, running, opening.logger))
  return giveToSession(running, process, { agent, limits, subagents, hooks: services.hooks })
}

/** The folder itself stays, because the process works in it. */
async function emptyCopy(agent: AgentDefinition, cwd: string): Promise<void> {
  if (agent.workspace.mode !== 'copy') return
  const names = await readdir(cwd)
  await Promise.all(names.map((name) => rm(join(cwd, name), { recursive: true, force: true })))
}
