// The doors of the engine, each a few lines: decide through the writer, then let the coordinator act on it.
import {
  type ApprovalId,
  CreateSessionBody,
  type JsonObject,
  type CreateSession as NewSessionCommand,
  QuarterdeckError,
  untoldDecision,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import { checkedInput } from './checked-input.ts'
import { clearAway } from './clear-away.ts'
import { createReader } from './create-reader.ts'
import { createDoorway, type DoorOptions, seedName } from './doorway.ts'
import { feedSession } from './feed-session.ts'
import { followSession } from './follow-session.ts'
import { handOverAnswer } from './hand-over-answer.ts'
import { requireFittingInput, requireOpenApproval } from './invariants.ts'
import { createLifecycleDoors } from './lifecycle-doors.ts'
import type { LiveSession } from './live-session.ts'
import { createMoneyDoors } from './money-doors.ts'
import { createPeopleDoors } from './people-doors.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import { createProcessDoors } from './process-doors.ts'
import { createProofDoors } from './proof-doors.ts'
import { requireOfferedInput } from './require-offered-input.ts'
import { createSessionPermissions } from './session-permissions.ts'
import type { Decision, SessionService } from './session-service.ts'
import {
  checkedThinking,
  modelWarnings,
  narrowedLimits,
  narrowedMode,
  requireCatalogModel,
  settledModel,
} from './settle-settings.ts'
import type { Answer } from './waiters-by-kind.ts'

export type SessionServiceOptions = DoorOptions

interface Beginning extends Pick<NewSessionCommand, 'owner' | 'instructions' | 'allowedTools'> {
  readonly by: string
  readonly seed: string | undefined
  readonly isCatalogOnly: boolean
}

export function createSessionService(options: SessionServiceOptions): SessionService {
  const door = createDoorway(options)
  const { store, bus, agents, coordinator, dataDir, applied } = door
  const feedDependencies = { store, bus, openTexts: coordinator.openTexts }

  async function begin(
    body: z.output<typeof CreateSessionBody>,
    { by, seed, isCatalogOnly, ...shape }: Beginning,
  ): Promise<LiveSession> {
    const agent = await agents.load(body.agent)
    const model = body.model === undefined ? agent.model.id : await settledModel(agents, agent, body.model)
    if (isCatalogOnly) await requireCatalogModel(agents, agent, model)
    const limits = narrowedLimits(agent.limits, body.limits ?? {})
    const permissionMode = narrowedMode(agent.claude.permissionMode, body.permissionMode)
    const thinking = body.thinking === undefined ? agent.claude.thinking : checkedThinking(body.thinking)
    // A process that is kept ready has its session's id already; the seed in the log finds it again.
    const wish = { agent, model, permissionMode, thinking, limits }
    const endsTurns = body.client?.tools.some(({ endsTurn }) => endsTurn === true) ?? false
    // A spare was told the agent's own instructions and tools, and listens to what is heard of every session.
    const isUsual = shape.instructions === undefined && shape.allowedTools === undefined && !endsTurns
    const sessionId = (isUsual ? await coordinator.claimSpare(wish) : null) ?? door.newSessionId(seed)
    try {
      const cwd = await prepareWorkspace(agent, { dataDir, sessionId, locked: agents.lockedPaths() })
      return await coordinator.create(sessionId, {
        type: 'session.create',
        ...{ agentName: agent.name, mode: body.mode, model, modelSource: agent.modelSource, permissionMode, limits },
        ...{ cwd, title: body.title ?? null, tags: body.tags ?? [], thinking, by, ...shape },
        ...(seed === undefined ? {} : { seed: seedName(seed) }),
      })
    } catch (error) {
      await coordinator.endSpare(sessionId)
      await clearAway(door, agent, sessionId)
      throw error
    }
  }

  /** What nobody may do, as the rules are now, is refused to whoever allows it, not to the agent long after. */
  async function judgeAllowed(live: LiveSession, approvalId: ApprovalId, edited: JsonObject | null) {
    const state = live.writer.state()
    const { toolName, toolInput: asked, inputHash: askedHash } = requireOpenApproval(state, approvalId)
    if (edited !== null) requireFittingInput({ toolName, toolInput: asked }, edited)
    const toolInput = edited ?? asked
    const inputHash = door.hashCall({ toolName, toolInput })
    // The log has it without its secrets, which may be judged otherwise: the gate, which has the call itself, does that.
    if (edited === null && inputHash !== askedHash) return {}
    const agent = await agents.load(state.agentName)
    if (edited !== null) requireOfferedInput(live, agent, { toolName, toolInput })
    const permissions = createSessionPermissions(agent, live.writer.state, door.hiddenPaths)
    const situation = { mode: state.permissionMode, sessionRules: state.rules }
    const verdict = await permissions.check({ toolName, toolInput }, situation)
    if (verdict.type === 'deny') {
      const what = edited === null ? 'decision: the call cannot be allowed now' : 'input'
      throw new QuarterdeckError('request.invalid', `${what}: ${verdict.message}`)
    }
    return edited === null ? {} : { inputHash }
  }

  return {
    async create({ owner, instructions, allowedTools, isCatalogOnly = false, ...input }, by, seed) {
      door.refuseWhileDraining()
      const body = checkedInput(CreateSessionBody, input)
      const known = await door.findSeeded(seed)
      const shape = {
        ...(owner === undefined ? {} : { owner }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(allowedTools === undefined ? {} : { allowedTools }),
      }
      const live =
        known === null ? await begin(body, { by, seed, isCatalogOnly, ...shape }) : await coordinator.open(known)
      // A retry attaches the same client: nothing happens then.
      if (body.client !== undefined) await live.writer.apply({ type: 'client.attach', ...body.client, by })
      const { model } = live.writer.state()
      const warned = body.model === undefined ? {} : await modelWarnings(agents, await agents.load(body.agent), model)
      if (body.message === undefined) return { ...applied(live, []), ...warned }
      const { messageId: _, ...reply } = await door.queue(
        live,
        { content: body.message, images: body.images, seed },
        by,
      )
      return { ...reply, ...warned }
    },

    async send(sessionId, message, by) {
      door.refuseWhileDraining()
      return door.queue(await coordinator.open(sessionId), message, by)
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
      await coordinator.letGoIfClosed(live)
      return reply
    },

    async close(sessionId, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'session.close', by })
      await coordinator.letGoIfClosed(live)
      return applied(live, events)
    },

    async decide(approvalId, decision, by) {
      const sessionId = await store.findAsk(approvalId)
      if (sessionId === null) throw new QuarterdeckError('approval.not-found', `there is no approval ${approvalId}`)
      const live = await coordinator.open(sessionId)
      const { input = null, note = null } = decision
      const isJudged = decision.decision !== 'deny' || input !== null
      const inputHash = isJudged ? await judgeAllowed(live, approvalId, input) : {}
      const events = await handOverAnswer(live, {
        ...{ waiters: live.approvals, id: approvalId, answer: answerOf(decision, by) },
        command: (hearing) => ({
          ...{
            type: 'approval.decide',
            approvalId,
            decision: decision.decision,
            input,
            ...inputHash,
            ...(decision.rule === undefined ? {} : { rule: decision.rule }),
            note,
            by,
            ...hearing,
          },
          wakeMessageId: door.newMessageId(),
        }),
        untold(before, written) {
          const request = before.approvals.find((open) => open.approvalId === approvalId)
          const decided = written.find((event) => event.type === 'ApprovalDecided')
          return request && decided && untoldDecision(request, decided.data)
        },
      })
      const isHeard = events.some((event) => event.type === 'ApprovalDecided' && event.data.wasLive)
      // A denial carries its note; an allowed call has no room for one, so it follows as a message into the turn.
      if (isHeard && note !== null && decision.decision !== 'deny') {
        const { messageId: _, ...reply } = await door.queue(
          live,
          { content: note, delivery: 'immediate', seed: approvalId },
          by,
        )
        return reply
      }
      coordinator.kick(live)
      return applied(live, events)
    },

    ...createReader({ store, openTexts: coordinator.openTexts, place: coordinator.place }),
    ...createLifecycleDoors(door),
    ...createProcessDoors(coordinator),
    ...createProofDoors(store),
    ...createMoneyDoors(door),
    ...createPeopleDoors(door),

    follow: (sessionId, after, signal) => followSession(feedDependencies, { sessionId, after, signal }),
    feed: (from, sink) => feedSession(feedDependencies, from, sink),
  }
}

/** The answer as the waiting process hears it. The log's input has its secrets removed: only an edit is taken from it. */
function answerOf({ decision, input, note }: Decision, by: string): Answer {
  if (decision !== 'deny') return { type: 'allow', input: input ?? null }
  return { type: 'deny', message: `Denied by ${by}.${note === undefined ? '' : ` ${note}`}` }
}
