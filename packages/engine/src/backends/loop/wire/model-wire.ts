// One provider's way of asking a model, behind the same words for all: our conversation in, pieces of an answer out.
import type { ClaudeSettings, JsonObject, Thinking, TokenCounts } from '@quarterdeck/protocol'
import type { HostTool } from '../../backend.ts'
import type { AnswerPart, Entry } from '../conversation/entry.ts'

export interface WireRequest {
  readonly model: string
  readonly system: string
  readonly tools: readonly HostTool[]
  readonly entries: readonly Entry[]
  /** `null` for the provider's own, as the rest. */
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly topP: number | null
  readonly thinking: Thinking
  readonly effort: ClaudeSettings['effort']
  /** JSON Schema the answer has to keep. */
  readonly responseFormat: JsonObject | null
}

export type StopReason =
  | 'done'
  | 'calls'
  | 'max_tokens'
  | 'refusal'
  | 'context_window'
  /** The provider wants to be asked again with what it has said so far. */
  | 'pause'

export interface WireAnswer {
  readonly parts: readonly AnswerPart[]
  readonly stopReason: StopReason
  readonly tokens: TokenCounts
  /** Why it refuses, in its own words. */
  readonly refusal?: string
}

/** What is told of an answer while it comes. */
export interface WireListener {
  readonly signal: AbortSignal
  /** Something came, whatever it was. */
  alive(): void
  /** It begins to cost money; the first, and once. */
  begun(message: { readonly messageId: string; readonly servedModel: string; readonly tokens: TokenCounts }): void
  /** `null` when there is room for more; else it is waited for. */
  streamed(kind: 'text' | 'thinking', text: string): Promise<void> | null
  /** Letters that nobody is shown: the arguments of a call. This and `said` throw where an answer is longer than any. */
  wrote(characters: number): void
}

export interface ModelWire {
  /**
   * Resolves when the answer is whole. Throws `WireFailure` for whatever the provider or the way to it does; aborting
   * ends it so too.
   */
  ask(request: WireRequest, listener: WireListener): Promise<WireAnswer>
}
