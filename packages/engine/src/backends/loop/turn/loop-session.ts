// The state of a loop session apart from its turns: model, permissions, settings, spending and context window.
import { type AgentDefinition, type CatalogModel, findModel, priceOf } from '@quarterdeck/protocol'
import type { ChosenSettings, SessionOptions } from '../../backend.ts'
import type { OutputCheck } from '../../driver/structured-output.ts'
import type { Conversation } from '../conversation/conversation-store.ts'
import type { Entry } from '../conversation/entry.ts'
import { entryTokens, estimateRequestTokens } from '../conversation/estimate-request-tokens.ts'
import type { ModelAnswer, ModelRequester } from '../request/model-requester.ts'
import { usageOf } from '../request/request-with-retries.ts'
import type { ToolChooser } from '../tools/choose-tools.ts'
import type { HookCalls } from '../tools/hook-calls.ts'
import type { WireRequest } from '../wire/model-wire.ts'

export interface LoopSession {
  readonly agent: AgentDefinition
  readonly options: SessionOptions
  readonly conversation: Conversation
  readonly requester: ModelRequester
  readonly hookCalls: HookCalls
  readonly catalog: readonly CatalogModel[]
  readonly canAsk: boolean
  /** The check of `response_format`; `null` without one. */
  readonly checkOutput: OutputCheck | null
  /** Selects the tools for a message. */
  readonly toolChooser: ToolChooser
  readonly now: () => number
  /** The current settings. */
  chosen(): ChosenSettings
  readonly spending: LoopSpending
  readonly window: ContextWindow
}

/** The cost of the answers of a session, in dollars since it was opened. */
type LoopSpending = ReturnType<typeof createLoopSpending>

export function createLoopSpending(catalog: readonly CatalogModel[]) {
  let usd = 0
  return {
    usd: () => usd,
    /** Counts an answer. Returns its event. */
    add(answer: ModelAnswer) {
      const costUsd = priceOf(answer.tokens, findModel(answer.model, catalog)?.price ?? null)
      usd += costUsd ?? 0
      return usageOf(answer, costUsd)
    },
  }
}

/** How full the model's window is. */
type ContextWindow = ReturnType<typeof createContextWindow>

export function createContextWindow() {
  /** The provider's count at the latest answer and the number of entries it covers; `null` before the first. */
  let measured: { readonly tokens: number; readonly entries: number } | null = null
  /** Whether `ContextNearingLimit` was emitted. */
  let isNearing = false
  return {
    /** The provider's last count plus an estimate of the entries since. */
    usedBy(request: WireRequest, entries: readonly Entry[]): number {
      if (measured === null) return estimateRequestTokens(request)
      const since = entries.slice(measured.entries)
      return measured.tokens + since.reduce((sum, entry) => sum + entryTokens(entry), 0)
    },
    measure(tokens: number, entries: number): void {
      measured = { tokens, entries }
    },
    /** True once, until the next compaction. */
    beginNearing(): boolean {
      const isFirst = !isNearing
      isNearing = true
      return isFirst
    },
    /** The conversation was compacted. */
    reset(): void {
      measured = null
      isNearing = false
    },
  }
}
