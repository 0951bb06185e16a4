// The doors of the engine, each a few lines: decide through the writer, then let the coordinator act on it.
import {
  type Applied,
  CreateSessionBody,
  findModel,
  type Limits,
  type PermissionMode,
  QuarterdeckError,
  type SessionEvent,
  type SessionId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { Bus } from '../bus.ts'
import type { EventStore, Ids } from '../store/event-store.ts'
import type { Answer } from './approval-waiters.ts'
import type { Coordinator } from './coordinator.ts'
import { createReader } from './create-reader.ts'
import { feedSession } from './feed-session.ts'
import { followSession } from './follow-session.ts'
import type { LiveSession } from './live-session.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { seededId } from './seeded-id.ts'
import type { AgentShelf, Decision, NewMessage, SessionService } from './session-service.ts'

export interface SessionServiceOptions {
  readonly store: EventStore
  readonly bus: Bus
  readonly ids: Ids
  readonly agents: AgentShelf
  readonly coordinator: Coordinator
  readonly dataDir: string
}

export function createSessionService(options: SessionServiceOptions): SessionService {
  const { store, bus, ids, agents, coordinator, dataDir } = options
  const feedDependencies = { store, bus, openTexts: coordinator.openTexts }
  // Ids are made here, so their brands are too.
  const newMessageId = (seed?: string) =>
    (seed === undefined ? ids.next('umsg') : seededId('umsg', seed)) as UserMessageId
  const newSessionId = (seed?: string) => (seed === undefined ? ids.next('ses') : seededId('ses', seed)) as SessionId

  const applied = (live: LiveSession, events: readonly SessionEvent[]): Applied => ({
    sessionId: live.writer.sessionId,
    appliedSeq: events.at(-1)?.seq ?? live.writer.state().seq,
  })

  function refuseWhileDraining(): void {
    if (coordinator.isDraining())
      throw new QuarterdeckError('server.draining', 'the server is shutting down: try again')
  }

  async function knownModel(agentName: string, wanted: string): Promise<string> {
    const model = findModel(wanted, await agents.catalog(agentName))
    if (model !== undefined) return model.id
    throw new QuarterdeckError('model.unknown', `"${wanted}" is not in the catalog: see GET /v1/models`)
  }

  async function queue(live: LiveSession, { content, seed }: NewMessage, by: string) {
    const messageId = newMessageId(seed)
    const events = await live.writer.apply({ type: 'message.send', messageId, content, origin: 'user', by })
    coordinator.kick(live)
    return { ...applied(live, events), messageId }
  }

  async function begin(
    sessionId: SessionId,
    body: z.output<typeof CreateSessionBody>,
    by: string,
  ): Promise<LiveSession> {
    const agent = await agents.load(body.agent)
    const model = body.model === undefined ? agent.model.id : await knownModel(agent.name, body.model)
    const limits = narrowed(agent.limits, body.limits ?? {})
    const cwd = await prepareWorkspace(agent, dataDir, sessionId)
    const live = await coordinator.create(sessionId)
    await live.writer.apply({
      type: 'session.create',
      agentName: agent.name,
      mode: body.mode,
      model,
      modelSource: agent.modelSource,
      permissionMode: narrowedMode(agent.claude.permissionMode, body.permissionMode),
      limits,
      cwd,
      title: body.title ?? null,
      tags: body.tags ?? [],
      by,
    })
    return live
  }

  return {
    async create(input, by, seed) {
      refuseWhileDraining()
      const body = CreateSessionBody.parse(input)
      const sessionId = newSessionId(seed)
      const isKnown = seed !== undefined && (await store.load(sessionId)) !== null
      const live = isKnown ? await coordinator.open(sessionId) : await begin(sessionId, body, by)
      if (body.message === undefined) return applied(live, [])
      const { messageId: _, ...reply } = await queue(live, { content: body.message, seed }, by)
      return reply
    },

    async send(sessionId, message, by) {
      refuseWhileDraining()
      return queue(await coordinator.open(sessionId), message, by)
    },

    async interrupt(sessionId, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'turn.interrupt', by })
      live.abort?.abort()
      return applied(live, events)
    },

    async cancel(sessionId, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'session.cancel', by })
      live.abort?.abort()
      const reply = applied(live, events)
      if (live.writer.state().status === 'cancelled') await coordinator.letGo(live)
      return reply
    },

    async close(sessionId, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'session.close', by })
      await coordinator.letGo(live)
      return applied(live, events)
    },

    async changeModel(sessionId, model, by) {
      const live = await coordinator.open(sessionId)
      const id = await knownModel(live.writer.state().agentName, model)
      const events = await live.writer.apply({ type: 'model.change', model: id, by })
      await live.backend?.session.setModel(id)
      return applied(live, events)
    },

    async decide(approvalId, decision, by) {
      const sessionId = await store.findAsk(approvalId)
      if (sessionId === null) throw new QuarterdeckError('approval.not-found', `there is no approval ${approvalId}`)
      const live = await coordinator.open(sessionId)
      const { input = null, note = null } = decision
      const events = await live.writer.apply(() => ({
        ...{ type: 'approval.decide', approvalId, decision: decision.decision, input, note, by },
        isLive: live.waiters.isWaiting(approvalId),
        wakeMessageId: newMessageId(),
      }))
      live.waiters.answer(approvalId, answerOf(decision, by))
      coordinator.kick(live)
      return applied(live, events)
    },

    ...createReader({ store, openTexts: coordinator.openTexts }),

    follow: (sessionId, after, signal) => followSession(feedDependencies, { sessionId, after, signal }),
    feed: (from, sink) => feedSession(feedDependencies, from, sink),
  }
}

/** From the one that allows least to the one that allows most. */
const modes: readonly PermissionMode[] = ['plan', 'manual', 'acceptEdits', 'acceptAll']

function narrowedMode(allowed: PermissionMode, wanted: PermissionMode = allowed): PermissionMode {
  if (modes.indexOf(wanted) <= modes.indexOf(allowed)) return wanted
  const detail = `permissionMode ${wanted} allows more than the agent file does (${allowed})`
  throw new QuarterdeckError('request.invalid', detail)
}

/** A caller may ask for less than the agent file allows, never for more. */
function narrowed(limits: Limits, wanted: Partial<Record<keyof Limits, number | undefined>>): Limits {
  const result = { ...limits }
  for (const name of ['maxTurns', 'maxBudgetUsd', 'maxDurationMs'] as const) {
    const value = wanted[name]
    if (value === undefined) continue
    if (value > limits[name]) {
      const detail = `limits.${name} ${value} is more than the agent file allows (${limits[name]})`
      throw new QuarterdeckError('request.invalid', detail)
    }
    result[name] = value
  }
  return result
}

/** The answer as the waiting process hears it. The log's input has its secrets removed: only an edit is taken from it. */
function answerOf({ decision, input, note }: Decision, by: string): Answer {
  if (decision !== 'deny') return { type: 'allow', input: input ?? null }
  return { type: 'deny', message: `Denied by ${by}.${note === undefined ? '' : ` ${note}`}` }
}
