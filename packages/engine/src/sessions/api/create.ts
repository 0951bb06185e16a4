import type { CreateSession, CreateSessionBody } from '@quarterdeck/protocol'
import type { z } from 'zod'
import { removeFailedSession } from '../branches/remove-session.ts'
import { prepareWorkspace } from '../launch/prepare-workspace.ts'
import {
  checkThinking,
  modelWarnings,
  narrowLimits,
  narrowMode,
  requireCatalogModel,
  resolveModelId,
} from '../rules/resolve-settings.ts'
import { type OperationContext, seedName } from '../runtime/operation-context.ts'
import type { SessionOperations } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'

export function createCreateOperations(context: OperationContext) {
  const { agents, coordinator, applied } = context
  return {
    async createSession({ owner, instructions, allowedTools, isCatalogOnly = false, ...body }, by, seed) {
      context.refuseWhileDraining()
      const known = await context.findSeeded(seed)
      const restrictions = {
        ...(owner === undefined ? {} : { owner }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(allowedTools === undefined ? {} : { allowedTools }),
      }
      const running =
        known === null
          ? await startSession(context, body, { by, seed, isCatalogOnly, ...restrictions })
          : await coordinator.open(known)
      // A retry attaches the same client again, which has no effect.
      if (body.client !== undefined) await running.writer.apply({ type: 'client.attach', ...body.client, by })
      const { model } = running.writer.state()
      const warned = body.model === undefined ? {} : await modelWarnings(agents, await agents.load(body.agent), model)
      if (body.message === undefined) return { ...applied(running, []), ...warned }
      const { reply } = await context.queue(running, { content: body.message, images: body.images, seed }, by)
      return { ...reply, ...warned }
    },
  } satisfies Partial<SessionOperations>
}

interface SessionStart extends Pick<CreateSession, 'owner' | 'instructions' | 'allowedTools'> {
  readonly by: string
  readonly seed: string | undefined
  readonly isCatalogOnly: boolean
}

async function startSession(
  context: OperationContext,
  body: z.output<typeof CreateSessionBody>,
  { by, seed, isCatalogOnly, ...restrictions }: SessionStart,
): Promise<RunningSession> {
  const { agents, coordinator, dataDir } = context
  const agent = await agents.load(body.agent)
  const model = body.model === undefined ? agent.model.id : await resolveModelId(agents, agent, body.model)
  if (isCatalogOnly) await requireCatalogModel(agents, agent, model)
  const limits = narrowLimits(agent.limits, body.limits ?? {})
  const permissionMode = narrowMode(agent.claude.permissionMode, body.permissionMode)
  const thinking = body.thinking === undefined ? agent.claude.thinking : checkThinking(body.thinking)
  const endsTurns = body.client?.tools.some(({ endsTurn }) => endsTurn === true) ?? false
  // A spare process was started with the agent's own instructions and tools, and without turn-ending tools.
  const canUseSpare = restrictions.instructions === undefined && restrictions.allowedTools === undefined && !endsTurns
  const spare = canUseSpare ? await coordinator.claimSpare({ agent, model, permissionMode, thinking, limits }) : null
  // The id of a spare is fixed before the session exists. A retry finds the session by the seed in the log.
  const sessionId = spare ?? context.newSessionId(seed)
  try {
    const cwd = await prepareWorkspace(agent, { dataDir, sessionId, locked: agents.lockedPaths() })
    return await coordinator.create(sessionId, {
      type: 'session.create',
      agentName: agent.name,
      mode: body.mode,
      model,
      modelSource: agent.modelSource,
      permissionMode,
      limits,
      cwd,
      title: body.title ?? null,
      tags: body.tags ?? [],
      thinking,
      by,
      ...restrictions,
      ...(seed === undefined ? {} : { seed: seedName(seed) }),
    })
  } catch (error) {
    await coordinator.endSpare(sessionId)
    await removeFailedSession(context, agent, sessionId)
    throw error
  }
}
