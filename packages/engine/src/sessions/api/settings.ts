import { autoModel, type ChangeSettings, type SessionEvent } from '@quarterdeck/protocol'
import {
  checkThinking,
  chooseLimits,
  modelWarnings,
  narrowMode,
  raiseWithin,
  requireCatalogModel,
  resolveModelId,
  type WantedLimits,
} from '../rules/resolve-settings.ts'
import type { OperationContext } from '../runtime/operation-context.ts'
import type { SessionChange, SessionOperations } from '../session-service.ts'
import type { RunningSession } from '../state/running-session.ts'

export function createSettingOperations(context: OperationContext) {
  const { agents, coordinator, applied } = context

  async function changeSettings(running: RunningSession, change: SessionChange, by: string) {
    const events = await running.writer.apply({ ...(await settingsOf(running, change)), by })
    await applyToProcess(running, events)
    // A request may be waiting for a higher limit.
    if (events.some((event) => event.type === 'BudgetChanged')) context.money.limitsChanged()
    coordinator.kick(running)
    const { agentName, model } = running.writer.state()
    const warned = change.model === undefined ? {} : await modelWarnings(agents, await agents.load(agentName), model)
    return { ...applied(running, events), ...warned }
  }

  async function settingsOf(
    running: RunningSession,
    {
      isWithinFile = false,
      model: wantedModel,
      permissionMode,
      thinking,
      limits,
      title,
      tags,
      isArchived,
    }: SessionChange,
  ): Promise<Omit<ChangeSettings, 'by'>> {
    const state = running.writer.state()
    const agent = () => agents.load(state.agentName)
    const chosen = async (wanted: WantedLimits) =>
      isWithinFile ? raiseWithin((await agent()).limits, state.limits, wanted) : chooseLimits(state.limits, wanted)
    const allowed = permissionMode === undefined ? null : (await agent()).claude.permissionMode
    const model = wantedModel === undefined ? null : await resolveModelId(agents, await agent(), wantedModel)
    if (isWithinFile && model !== null) await requireCatalogModel(agents, await agent(), model)
    return {
      type: 'session.change',
      continueMessageId: context.newMessageId(),
      ...(model === null ? {} : { model }),
      ...(allowed === null ? {} : { permissionMode: narrowMode(allowed, permissionMode) }),
      ...(thinking === undefined ? {} : { thinking: checkThinking(thinking) }),
      ...(limits === undefined ? {} : { limits: await chosen(limits) }),
      ...(title === undefined ? {} : { title }),
      ...(tags === undefined ? {} : { tags }),
      ...(isArchived === undefined ? {} : { isArchived }),
    }
  }

  /** A process that fails to apply the settings ends; the next one starts with them. */
  async function applyToProcess(running: RunningSession, events: readonly SessionEvent[]): Promise<void> {
    const { sessionId, state } = running.writer
    try {
      for (const { type, data } of events) {
        // The next turn decides which model `auto` means.
        if (type === 'ModelChanged' && data.to !== autoModel) await running.process.backend()?.session.setModel(data.to)
        if (type === 'PermissionModeChanged') await running.process.backend()?.session.setPermissionMode(data.to)
        if (type === 'ThinkingChanged') await running.process.backend()?.session.setThinking(data.to)
      }
    } catch (error) {
      context.logger.warn({ sessionId, error }, 'the agent process did not take its new settings')
      if (state().turn === null) await coordinator.endProcess(running)
    }
  }

  return {
    async changeSession(sessionId, change, by) {
      const running = await coordinator.open(sessionId)
      try {
        return await changeSettings(running, change, by)
      } finally {
        await coordinator.releaseIfClosed(running)
      }
    },
  } satisfies Partial<SessionOperations>
}
