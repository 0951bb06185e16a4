// A process for a session that does not exist yet, as the agent file says.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { AgentDefinition, SessionId } from '@quarterdeck/protocol'
import type { ModelAccess } from '../backends/backend.ts'
import { createSessionHooks } from '../hooks/create-session-hooks.ts'
import { createLateParts, type LateParts } from '../processes/late-parts.ts'
import type { SpareProcess } from '../processes/spares.ts'
import { wholeShape } from '../tools/session-shape.ts'
import type { LiveSession, OpenBackend } from './live-session.ts'
import { type BackendOpening, never, type OpenProcess, openProcess, tellServers, tellStart } from './open-process.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { createSessionParts } from './session-parts.ts'

export async function openSpare(
  opening: BackendOpening,
  agent: AgentDefinition,
  sessionId: SessionId,
): Promise<SpareProcess> {
  const { models, dataDir, spareNotes } = opening
  const backend = await opening.backendOf(agent)
  await spareNotes.add(sessionId)
  const cwd = await prepareWorkspace(agent, { dataDir, sessionId, locked: opening.agents.lockedPaths() })
  const late = createLateParts(createSessionHooks(opening.hooksOf(agent), sessionId))
  /** Of one that nobody took. */
  async function leaveNothing(): Promise<void> {
    await backend.forget(sessionId)
    if (agent.workspace.mode === 'copy') await rm(cwd, { recursive: true, force: true })
    await spareNotes.remove(sessionId)
  }
  try {
    const modelAccess = await models.openSession(sessionId, agent, 'nobody')
    const { modelSource, limits } = agent
    const { permissionMode, thinking } = agent.claude
    const heard = { end: () => {} }
    const process = await openProcess(opening, {
      ...{ agent, backend, sessionId, cwd, modelAccess, modelSource, limits, permissionMode, thinking },
      ...late.parts,
      chosen: { model: agent.model.id, lastModel: null },
      shape: wholeShape,
      resume: null,
      signal: never,
      listen: () => () => heard.end(),
    })
    return {
      warm: process.session.warm,
      claim: () => emptyCopy(agent, cwd),
      bind: (live) => bindSpare(opening, { agent, cwd, modelAccess, late, process, heard }, live),
      async close({ isTaken }) {
        try {
          await process.session.close()
        } finally {
          models.closeSession(sessionId)
        }
        if (!isTaken) await leaveNothing()
      },
    }
  } catch (error) {
    models.closeSession(sessionId)
    await leaveNothing()
    throw error
  }
}

interface Spare {
  readonly agent: AgentDefinition
  readonly cwd: string
  readonly modelAccess: ModelAccess
  readonly late: LateParts
  readonly process: OpenProcess
  /** Its servers are heard from when it has a log. */
  readonly heard: { end: () => void }
}

async function bindSpare(opening: BackendOpening, spare: Spare, live: LiveSession): Promise<OpenBackend | null> {
  const { agent, cwd, modelAccess, process } = spare
  const { subagents, ...parts } = createSessionParts(opening, live, agent)
  const unbind = spare.late.bind(parts)
  try {
    const { sessionId, owner, limits } = live.writer.state()
    await opening.spareNotes.remove(sessionId)
    const access = await opening.models.openSession(sessionId, agent, owner)
    // The key has changed since: what the process was started with is refused by now.
    if (!isDeepStrictEqual(access, modelAccess)) {
      unbind()
      return null
    }
    spare.heard.end = tellServers(process.toolbox, live, opening.logger)
    await tellStart(live, parts.hooks, live.abort?.signal ?? never)
    const tellEnded = () => {
      unbind()
      return parts.hooks.ended({ cwd })
    }
    const { session, model, hostTools } = process
    const isMetered = modelAccess.type !== 'environment'
    const { turnTimeoutMs } = agent
    return { session, model, hostTools, subagents, isMetered, limits, turnTimeoutMs, tellEnded }
  } catch (error) {
    unbind()
    throw error
  }
}

/** The folder itself stays: the process works in it. */
async function emptyCopy(agent: AgentDefinition, cwd: string): Promise<void> {
  if (agent.workspace.mode !== 'copy') return
  const names = await readdir(cwd)
  await Promise.all(names.map((name) => rm(join(cwd, name), { recursive: true, force: true })))
}
