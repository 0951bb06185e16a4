// The doors to a session's life beyond its turns: what waits, how it is set, where it goes.
import {
  ChangeSessionBody,
  type ChangeSettings,
  type SessionEvent,
  type SessionId,
  wholeText,
} from '@quarterdeck/protocol'
import { checkedInput } from './checked-input.ts'
import type { Doorway } from './doorway.ts'
import { forkSession } from './fork-session.ts'
import { readHistory } from './history.ts'
import { requireOpen, requireSession } from './invariants.ts'
import type { LiveSession } from './live-session.ts'
import { removeSession } from './remove-session.ts'
import { rewindSession } from './rewind-session.ts'
import type { LifecycleDoors, SessionChange } from './session-service.ts'
import {
  checkedThinking,
  chosenLimits,
  modelWarnings,
  narrowedMode,
  raisedWithin,
  requireCatalogModel,
  settledModel,
  type WantedLimits,
} from './settle-settings.ts'
import { steerWaiting } from './steer-waiting.ts'
import { subagentMessage } from './subagent-message.ts'

export function createLifecycleDoors(door: Doorway): LifecycleDoors {
  const { store, agents, coordinator, applied } = door

  async function settings(
    live: LiveSession,
    { isWithinFile = false, ...input }: SessionChange,
  ): Promise<Omit<ChangeSettings, 'by'>> {
    const { model, permissionMode, thinking, limits, title, tags, isArchived } = checkedInput(ChangeSessionBody, input)
    const state = live.writer.state()
    const agent = () => agents.load(state.agentName)
    const chosen = async (wanted: WantedLimits) =>
      isWithinFile ? raisedWithin((await agent()).limits, state.limits, wanted) : chosenLimits(state.limits, wanted)
    const allowed = permissionMode === undefined ? null : (await agent()).claude.permissionMode
    const settled = model === undefined ? null : await settledModel(agents, await agent(), model)
    if (isWithinFile && settled !== null) await requireCatalogModel(agents, await agent(), settled)
    return {
      type: 'session.change',
      goOnMessageId: door.newMessageId(),
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
  async function tell(live: LiveSession, events: readonly SessionEvent[]): Promise<void> {
    try {
      await coordinator.tellSettings(live, events)
    } catch (error) {
      door.logger.warn({ sessionId: live.writer.sessionId, error }, 'a process could not be told its new settings')
      if (live.writer.state().turn === null) await coordinator.endProcess(live)
    }
  }

  /** A session that is closed is given back after the look at it. */
  async function openOnce<Result>(sessionId: SessionId, work: (live: LiveSession) => Promise<Result>): Promise<Result> {
    const live = await coordinator.open(sessionId)
    try {
      return await work(live)
    } finally {
      await coordinator.letGoIfClosed(live)
    }
  }

  return {
    async messages(sessionId) {
      return requireSession(await store.load(sessionId)).queued
    },

    async editMessage({ sessionId, messageId }, content, by) {
      const live = await coordinator.open(sessionId)
      return applied(
        live,
        await live.writer.apply({ type: 'message.edit', messageId, content: wholeText(content), by }),
      )
    },

    async cancelMessage({ sessionId, messageId }, by) {
      const live = await coordinator.open(sessionId)
      return applied(live, await live.writer.apply({ type: 'message.cancel', messageId, by }))
    },

    async promoteMessage({ sessionId, messageId }, { delivery }, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'message.promote', messageId, delivery, by })
      if (delivery === 'immediate') await steerWaiting(live, door.logger)
      return applied(live, events)
    },

    change: (sessionId, body, by) =>
      openOnce(sessionId, async (live) => {
        const events = await live.writer.apply({ ...(await settings(live, body)), by })
        await tell(live, events)
        // A request may wait for money that is there now.
        if (events.some((event) => event.type === 'BudgetChanged')) door.money.limitsChanged()
        coordinator.kick(live)
        const { agentName, model } = live.writer.state()
        const warned = body.model === undefined ? {} : await modelWarnings(agents, await agents.load(agentName), model)
        return { ...applied(live, events), ...warned }
      }),

    async pause(sessionId, by) {
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'session.pause', by })
      if (live.writer.state().status === 'pausing') live.abort?.abort()
      return applied(live, events)
    },

    async resume(sessionId, by) {
      door.refuseWhileDraining()
      const live = await coordinator.open(sessionId)
      const events = await live.writer.apply({ type: 'session.resume', goOnMessageId: door.newMessageId(), by })
      coordinator.kick(live)
      return applied(live, events)
    },

    fork: (sessionId, { seed, owner, ...body }, by) =>
      forkSession(door, { sessionId, body, by, owner: owner ?? by, seed }),
    rewind: (sessionId, body, by) => rewindSession(door, { sessionId, body, by }),
    remove: (sessionId, by) => removeSession(door, sessionId, by),

    async capabilities(sessionId) {
      const live = await coordinator.open(sessionId)
      requireOpen(live.writer.state())
      const catalog = await agents.catalog(live.writer.state().agentName)
      const told = await coordinator.useProcess(live, (session) => session.capabilities())
      // What a session can be changed to: the CLI names models that no price is known of.
      return { ...told, models: catalog.map(({ id, label }) => ({ id, label })) }
    },

    async history(sessionId) {
      requireSession(await store.load(sessionId))
      return readHistory(store, sessionId)
    },

    async messageSubagent(to, { content, seed }, by) {
      door.refuseWhileDraining()
      const live = await coordinator.open(to.sessionId)
      requireOpen(live.writer.state())
      const { messageId: _, ...reply } = await door.queue(
        live,
        { content: await subagentMessage(store, to, content), seed },
        by,
      )
      return reply
    },
  }
}
