// The doors of the engine, each a few lines: decide through the writer, then let the coordinator act on it.
import {
  type ApprovalId,
  CreateSessionBody,
  type JsonObject,
  type CreateSession as NewSessionCommand,
  QuarterdeckError,
  unreportedDecision,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import { handOverAnswer } from '../asks/hand-over-answer.ts'
import { requireOfferedInput } from '../asks/require-offered-input.ts'
import { createSessionPermissions } from '../asks/session-permissions.ts'
import { removeFailedSession } from '../branches/remove-failed-session.ts'
import { prepareWorkspace } from '../launch/prepare-workspace.ts'
import { checkedInput } from '../rules/checked-input.ts'
import { requireFittingInput, requireOpenApproval } from '../rules/invariants.ts'
import {
  checkedThinking,
  modelWarnings,
  narrowedLimits,
  narrowedMode,
  requireCatalogModel,
  settledModel,
} from '../rules/settle-settings.ts'
import { createOperationContext, type OperationContextOptions, seedName } from '../runtime/operation-context.ts'
import type { Decision, SessionService } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'
import type { ApprovalAnswer } from '../state/waiters-by-kind.ts'
import { feedSession } from '../streaming/feed-session.ts'
import { followSession } from '../streaming/follow-session.ts'
import { createAskOperations } from './asks.ts'
import { createAuditOperations } from './audit.ts'
import { createBudgetOperations } from './budgets.ts'
import { createLifecycleOperations } from './lifecycle.ts'
import { createProcessOperations } from './processes.ts'
import { createReadOperations } from './read.ts'

export type SessionServiceOptions = OperationContextOptions

interface Beginning extends Pick<NewSessionCommand, 'owner' | 'instructions' | 'allowedTools'> {
  readonly by: string
  readonly seed: string | undefined
  readonly isCatalogOnly: boolean
}

export function createSessionService(options: SessionServiceOptions): SessionService {
  const context = createOperationContext(options)
  const { store, bus, agents, coordinator, dataDir, applied } = context
  const feedDependencies = { store, bus, openTexts: coordinator.openTexts }

  async function begin(
    body: z.output<typeof CreateSessionBody>,
    { by, seed, isCatalogOnly, ...shape }: Beginning,
  ): Promise<RunningSession> {
    const agent = await agents.load(body.agent)
    const model = body.model === undefined ? agent.model.id : await settledModel(agents, agent, body.model)
    if (isCatalogOnly) await requireCatalogModel(agents, agent, model)
    const limits = narrowedLimits(agent.limits, body.limits ?? {})
    const permissionMode = narrowedMode(agent.claude.permissionMode, body.permissionMode)
    const thinking = body.thinking === undefined ? agent.claude.thinking : checkedThinking(body.thinking)
    // A process that is kept ready has its session's id already; the seed in the log finds it again.
    const spareRequest = { agent, model, permissionMode, thinking, limits }
    const endsTurns = body.client?.tools.some(({ endsTurn }) => endsTurn === true) ?? false
    // A spare was told the agent's own instructions and tools, and listens to what is heard of every session.
    const isUsual = shape.instructions === undefined && shape.allowedTools === undefined && !endsTurns
    const sessionId = (isUsual ? await coordinator.claimSpare(spareRequest) : null) ?? context.newSessionId(seed)
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
        ...shape,
        ...(seed === undefined ? {} : { seed: seedName(seed) }),
      })
    } catch (error) {
      await coordinator.endSpare(sessionId)
      await removeFailedSession(context, agent, sessionId)
      throw error
    }
  }

  /** What nobody may do, as the rules are now, is refused to whoever allows it, not to the agent long after. */
  async function judgeAllowed(running: RunningSession, approvalId: ApprovalId, edited: JsonObject | null) {
    const state = running.writer.state()
    const { toolName, toolInput: asked, inputHash: askedHash } = requireOpenApproval(state, approvalId)
    if (edited !== null) requireFittingInput({ toolName, toolInput: asked }, edited)
    const toolInput = edited ?? asked
    const inputHash = context.hashCall({ toolName, toolInput })
    // The log has it without its secrets, which may be judged otherwise: the gate, which has the call itself, does that.
    if (edited === null && inputHash !== askedHash) return {}
    const agent = await agents.load(state.agentName)
    if (edited !== null) requireOfferedInput(running, agent, { toolName, toolInput })
    const permissions = createSessionPermissions(agent, running.writer.state, context.hiddenPaths)
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
      context.refuseWhileDraining()
      const body = checkedInput(CreateSessionBody, input)
      const known = await context.findSeeded(seed)
      const shape = {
        ...(owner === undefined ? {} : { owner }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(allowedTools === undefined ? {} : { allowedTools }),
      }
      const running =
        known === null ? await begin(body, { by, seed, isCatalogOnly, ...shape }) : await coordinator.open(known)
      // A retry attaches the same client: nothing happens then.
      if (body.client !== undefined) await running.writer.apply({ type: 'client.attach', ...body.client, by })
      const { model } = running.writer.state()
      const warned = body.model === undefined ? {} : await modelWarnings(agents, await agents.load(body.agent), model)
      if (body.message === undefined) return { ...applied(running, []), ...warned }
      const { messageId: _, ...reply } = await context.queue(
        running,
        { content: body.message, images: body.images, seed },
        by,
      )
      return { ...reply, ...warned }
    },

    async send(sessionId, message, by) {
      context.refuseWhileDraining()
      return context.queue(await coordinator.open(sessionId), message, by)
    },

    async interrupt(sessionId, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'turn.interrupt', by })
      running.abort?.abort()
      return applied(running, events)
    },

    async cancel(sessionId, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'session.cancel', by })
      running.abort?.abort()
      const reply = applied(running, events)
      await coordinator.letGoIfClosed(running)
      return reply
    },

    async close(sessionId, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'session.close', by })
      await coordinator.letGoIfClosed(running)
      return applied(running, events)
    },

    async decide(approvalId, decision, by) {
      const sessionId = await store.findAsk(approvalId)
      if (sessionId === null) throw new QuarterdeckError('approval.not-found', `there is no approval ${approvalId}`)
      const running = await coordinator.open(sessionId)
      const { input = null, note = null } = decision
      const isJudged = decision.decision !== 'deny' || input !== null
      const inputHash = isJudged ? await judgeAllowed(running, approvalId, input) : {}
      const events = await handOverAnswer(running, {
        waiters: running.approvals,
        id: approvalId,
        answer: answerOf(decision, by),
        command: (reception) => ({
          type: 'approval.decide',
          approvalId,
          decision: decision.decision,
          input,
          ...inputHash,
          ...(decision.rule === undefined ? {} : { rule: decision.rule }),
          note,
          by,
          ...reception,
          wakeMessageId: context.newMessageId(),
        }),
        unreported(before, written) {
          const request = before.approvals.find((open) => open.approvalId === approvalId)
          const decided = written.find((event) => event.type === 'ApprovalDecided')
          return request && decided && unreportedDecision(request, decided.data)
        },
      })
      const isReceived = events.some((event) => event.type === 'ApprovalDecided' && event.data.wasLive)
      // A denial carries its note; an allowed call has no room for one, so it follows as a message into the turn.
      if (isReceived && note !== null && decision.decision !== 'deny') {
        const { messageId: _, ...reply } = await context.queue(
          running,
          { content: note, delivery: 'immediate', seed: approvalId },
          by,
        )
        return reply
      }
      coordinator.kick(running)
      return applied(running, events)
    },

    ...createReadOperations({ store, openTexts: coordinator.openTexts, queuePosition: coordinator.queuePosition }),
    ...createLifecycleOperations(context),
    ...createProcessOperations(coordinator),
    ...createAuditOperations(store),
    ...createBudgetOperations(context),
    ...createAskOperations(context),

    follow: (sessionId, after, signal) => followSession(feedDependencies, { sessionId, after, signal }),
    feed: (from, sink) => feedSession(feedDependencies, from, sink),
  }
}

/** The answer as the waiting process hears it. The log's input has its secrets removed: only an edit is taken from it. */
function answerOf({ decision, input, note }: Decision, by: string): ApprovalAnswer {
  if (decision !== 'deny') return { type: 'allow', input: input ?? null }
  return { type: 'deny', message: `Denied by ${by}.${note === undefined ? '' : ` ${note}`}` }
}
