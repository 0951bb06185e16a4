// One provider's API behind a common interface: a provider-neutral conversation in, parts of an answer out.
import type { ClaudeSettings, JsonObject, Thinking, TokenCounts } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import type { AnswerPart, Entry } from '../conversation/entry.ts'

export interface WireRequest {
  readonly model: string
  readonly system: string
  readonly tools: readonly HostTool[]
  readonly entries: readonly Entry[]
  /** `null` for the provider's default, here and below. */
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly topP: number | null
  readonly thinking: Thinking
  readonly effort: ClaudeSettings['effort']
  /** A JSON Schema that the answer has to match. */
  readonly responseFormat: JsonObject | null
}

/** The limit of an answer if none is configured. */
const defaultOutputTokens = 16_000

/**
 * How many tokens an answer may use, including thinking. The amount is reserved, and sent to providers that require a
 * limit.
 */
export const outputTokenLimit = ({ maxTokens, thinking }: Pick<WireRequest, 'maxTokens' | 'thinking'>): number =>
  maxTokens ?? defaultOutputTokens + (thinking?.budgetTokens ?? 0)

export type WireStopReason =
  | 'done'
  | 'calls'
  | 'max_tokens'
  | 'refusal'
  | 'context_window'
  /** The provider wants the request to be repeated with the answer so far. */
  | 'pause'

export interface WireAnswer {
  readonly parts: readonly AnswerPart[]
  readonly stopReason: WireStopReason
  readonly tokens: TokenCounts
  /** Why the model refuses, in its own text. */
  readonly refusal?: string
}

/** Progress of an answer. */
export interface WireListener {
  readonly signal: AbortSignal
  /** Called for any data. */
  alive(): void
  /** Called first and once: from now on the answer costs money. */
  begun(message: { readonly messageId: string; readonly servedModel: string; readonly tokens: TokenCounts }): void
  /** `null` if there is capacity for more; otherwise a promise to wait for. */
  streamed(kind: 'text' | 'thinking', text: string): Promise<void> | null
  /** Characters that are not shown: the arguments of a call. This and `streamed` throw if an answer is too long. */
  wrote(characters: number): void
}

export interface ModelWire {
  /**
   * Resolves when the answer is complete. Throws `WireFailure` for every failure of the provider or the connection, and
   * when aborted.
   */
  ask(request: WireRequest, listener: WireListener): Promise<WireAnswer>
}
