// The translation with its state for one session. Also answers the permission hook's questions about it.
import { sleep } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import type { HookCallContext } from '../hooks/permission-hook.ts'
import { translateMessage } from '../translate/translate-message.ts'
import { discardOpen } from '../translate/translate-stream.ts'
import {
  beginTurn,
  noteCallStarted,
  startTranslation,
  type Totals,
  type Translation,
} from '../translate/translation.ts'

/**
 * Messages and hooks arrive on separate channels. The message for a hook arrives within milliseconds (measured), or
 * never.
 */
const timeoutMs = 3_000

export type Translator = ReturnType<typeof createTranslator>

export function createTranslator(session: Parameters<typeof startTranslation>[0], now: () => number) {
  let state: Translation = startTranslation(session)
  let reported = new Set<string>()
  let spentUsd = 0
  let listeners: (() => void)[] = []

  function advance(next: { state: Translation; events: readonly BackendEvent[] }): readonly BackendEvent[] {
    state = next.state
    for (const event of next.events) {
      if (event.type === 'AgentInvokedTool') reported.add(event.data.toolUseId)
      if (event.type === 'UsageRecorded') spentUsd += event.data.costUsd ?? 0
    }
    const waiting = listeners
    listeners = []
    for (const wake of waiting) wake()
    return next.events
  }

  /** Checks again after each message until there is an answer or the time is up. */
  async function waitFor<Value>(find: () => Value | undefined): Promise<Value | undefined> {
    const timeout = sleep(timeoutMs, undefined, { ref: false }).then(() => 'late' as const)
    for (;;) {
      const found = find()
      if (found !== undefined) return found
      const next = new Promise<'next'>((resolve) => listeners.push(() => resolve('next')))
      if ((await Promise.race([next, timeout])) === 'late') return undefined
    }
  }

  const hookContext: HookCallContext = {
    async pathOf(agentId) {
      if (agentId === undefined) return null
      const path = await waitFor(() => state.subagents.get(agentId)?.path)
      return [...(path ?? [agentId])]
    },
    async reported(toolUseId) {
      await waitFor(() => (reported.has(toolUseId) ? true : undefined))
    },
    started(toolUseId) {
      state = noteCallStarted(state, toolUseId, now())
    },
  }

  return {
    ...hookContext,
    beginTurn(): void {
      state = beginTurn(state)
      reported = new Set()
    },
    /** A new process has started: its totals begin here. */
    restart(chosen: Pick<Translation, 'model' | 'permissionMode'>, totals: Totals): void {
      state = { ...startTranslation({ ...session, ...chosen }, totals), turn: state.turn }
    },
    /** The next request uses this model. */
    choose(model: string): void {
      state = { ...state, model }
    },
    translate: (message: unknown) => advance(translateMessage(state, message, now())),
    /** The process has exited: closes the open message. */
    discard: (reason: string) => advance(discardOpen(state, reason)),
    record: () => state.turn,
    backendSessionId: () => state.backendSessionId,
    /** Whether a subagent is running. */
    isWorking: () => [...state.subagents.values()].some(({ hasStopped }) => !hasStopped),
    /** The lead's tools as reported by the CLI; `null` before its first turn. */
    tools: () => state.tools,
    /** The cost of the session since it was created, across all of its processes. */
    spentUsd: () => spentUsd,
  }
}
