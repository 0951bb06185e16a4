// The doors to a session's life beyond its turns: what waits, how it is set, where it goes.
import {
  ChangeSessionBody,
  type ChangeSettings,
  type SessionEvent,
  type SessionId,
  wholeText,
} from '@quarterdeck/protocol'
import { forkSession } from '../branches/fork-session.ts'
import { removeSession } from '../branches/remove-session.ts'
import { rewindSession } from '../branches/rewind-session.ts'
import { checkedInput } from '../rules/checked-input.ts'
import { requireOpen, requireSession } from '../rules/invariants.ts'
import {
  checkedThinking,
  chosenLimits,
  modelWarnings,
  narrowedMode,
  raisedWithin,
  requireCatalogModel,
  settledModel,
  type WantedLimits,
} from '../rules/settle-settings.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { LifecycleOperations, SessionChange } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'
import { steerWaiting } from '../turns/steer-waiting.ts'
import { readHistory } from './read-history.ts'
import { subagentMessage } from './subagent-message.ts'

export function createLifecycleOperations(context: OperationContext): LifecycleOperations {
  const { store, agents, coordinator, applied } = context

  async function settings(
    running: RunningSession,
    { isWithinFile = false, ...input }: SessionChange,
  ): Promise<Omit<ChangeSettings, 'by'>> {
    const { model, permissionMode, thinking, limits, title, tags, isArchived } = checkedInput(ChangeSessionBody, input)
    const state = running.writer.state()
    const agent = () => agents.load(state.agentName)
    const chosen = async (wanted: WantedLimits) =>
      isWithinFile ? raisedWithin((await agent()).limits, state.limits, wanted) : chosenLimits(state.limits, wanted)
    const allowed = permissionMode === undefined ? null : (await agent()).claude.permissionMode
    const settled = model === undefined ? null : await settledModel(agents, await agent(), model)
    if (isWithinFile && settled !== null) await requireCatalogModel(agents, await agent(), settled)
    return {
      type: 'session.change',
      goOnMessageId: context.newMessageId(),
      ...(settled === null ? {} : { model: settled }),
      ...(allowed === null ? {} : { permissionMode: narrowedMode(allowed, permissionMode) }),
      ...(thinking === undefined ? {} : { thinking: checkedThinking(thinking) }),
      ...(limits === undefined ? {} : { limits: await chosen(limits) }),
      ...(title === undefined ? {} : { title }),
      ...(tags === undefined ? {} : { tags }),
      ...(isArchived === undefined ? {} : { isArchived }),
    }
  }

  /** What the log says holds: a process that cannot be told makes room for one that starts with it. */
  async function applyToProcess(running: RunningSession, events: readonly SessionEvent[]): Promise<void> {
    try {
      await coordinator.applySettings(running, events)
    } catch (error) {
      context.logger.warn(
        { sessionId: running.writer.sessionId, error },
        'a process could not be told its new settings',
      )
      if (running.writer.state().turn === null) await coordinator.endProcess(running)
    }
  }

  /** A session that is closed is given back after the look at it. */
  async function openOnce<Result>(
    sessionId: SessionId,
    work: (running: RunningSession) => Promise<Result>,
  ): Promise<Result> {
    const running = await coordinator.open(sessionId)
    try {
      return await work(running)
    } finally {
      await coordinator.letGoIfClosed(running)
    }
  }

  return {
    async messages(sessionId) {
      return requireSession(await store.load(sessionId)).queued
    },

    async editMessage({ sessionId, messageId }, content, by) {
      const running = await coordinator.open(sessionId)
      return applied(
        running,
        await running.writer.apply({ type: 'message.edit', messageId, content: wholeText(content), by }),
      )
    },

    async cancelMessage({ sessionId, messageId }, by) {
      const running = await coordinator.open(sessionId)
      return applied(running, await running.writer.apply({ type: 'message.cancel', messageId, by }))
    },

    async promoteMessage({ sessionId, messageId }, { delivery }, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'message.promote', messageId, delivery, by })
      if (delivery === 'immediate') await steerWaiting(running, context.logger)
      return applied(running, events)
    },

    change: (sessionId, body, by) =>
      openOnce(sessionId, async (running) => {
        const events = await running.writer.apply({ ...(await settings(running, body)), by })
        await applyToProcess(running, events)
        // A request may wait for money that is there now.
        if (events.some((event) => event.type === 'BudgetChanged')) context.money.limitsChanged()
        coordinator.kick(running)
        const { agentName, model } = running.writer.state()
        const warned = body.model === undefined ? {} : await modelWarnings(agents, await agents.load(agentName), model)
        return { ...applied(running, events), ...warned }
      }),

    async pause(sessionId, by) {
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'session.pause', by })
      if (running.writer.state().status === 'pausing') running.abort?.abort()
      return applied(running, events)
    },

    async resume(sessionId, by) {
      context.refuseWhileDraining()
      const running = await coordinator.open(sessionId)
      const events = await running.writer.apply({ type: 'session.resume', goOnMessageId: context.newMessageId(), by })
      coordinator.kick(running)
      return applied(running, events)
    },

    fork: (sessionId, { seed, owner, ...body }, by) =>
      forkSession(context, { sessionId, body, by, owner: owner ?? by, seed }),
    rewind: (sessionId, body, by) => rewindSession(context, { sessionId, body, by }),
    remove: (sessionId, by) => removeSession(context, sessionId, by),

    async capabilities(sessionId) {
      const running = await coordinator.open(sessionId)
      requireOpen(running.writer.state())
      const catalog = await agents.catalog(running.writer.state().agentName)
      const reported = await coordinator.useProcess(running, (session) => session.capabilities())
      // What a session can be changed to: the CLI names models that no price is known of.
      return { ...reported, models: catalog.map(({ id, label }) => ({ id, label })) }
    },

    async history(sessionId) {
      requireSession(await store.load(sessionId))
      return readHistory(store, sessionId)
    },

    async messageSubagent(to, { content, seed }, by) {
      context.refuseWhileDraining()
      const running = await coordinator.open(to.sessionId)
      requireOpen(running.writer.state())
      const { messageId: _, ...reply } = await context.queue(
        running,
        { content: await subagentMessage(store, to, content), seed },
        by,
      )
      return reply
    },
  }
}
