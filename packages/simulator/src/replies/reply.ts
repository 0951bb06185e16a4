// The answer of a rule or a scenario step, before it becomes a message with ids, usage and pace.
import type { StopReason } from '@quarterdeck/model'
import type { TokenUsage } from '@quarterdeck/protocol'
import type { Fault } from '../faults/fault.ts'

export interface ReplyToolCall {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface Reply {
  readonly thinking?: string
  readonly text?: string
  /** Issued in one message: the client runs them in parallel if it can. */
  readonly tools?: readonly ReplyToolCall[]
  /** Answered through the client's structured-output tool, or as JSON text if the request asks for a format. */
  readonly structured?: unknown
  readonly stopReason?: StopReason
  readonly usage?: Partial<TokenUsage>
  readonly delayMs?: number
  readonly paceMs?: number
  readonly fault?: Fault
}

/** `by` names the rule or step, for the request log. */
export type SimulatedAnswer =
  | { readonly type: 'reply'; readonly by: string; readonly reply: Reply }
  | { readonly type: 'unmatched'; readonly message: string }

export const textReply = (text: string): Reply => ({ text })

export const callTools = (text: string, ...tools: readonly ReplyToolCall[]): Reply => ({ text, tools })
