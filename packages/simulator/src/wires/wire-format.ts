// What the simulator must know of an API to speak it: how its answers, frames and errors look.
import type { ServerResponse } from 'node:http'
import type { ApiErrorReply, AssistantMessage } from '@quarterdeck/model'
import type { TokenUsage } from '@quarterdeck/protocol'
import type { RateAllowance } from '../faults/rate-gate.ts'

export interface WireFrame {
  readonly text: string
  /** What a pace counts, and a fault in the middle. */
  readonly isDelta: boolean
  /** A stream is not cut before it has said who speaks. */
  readonly isOpening: boolean
  /** After it the client knows all that was used, or will never know. */
  readonly endsUsage: boolean
}

export interface WireFormat {
  readonly name: 'anthropic' | 'openai'
  readonly idPrefix: { readonly message: string; readonly call: string }
  /** Sent with every answer. */
  headers(requestId: string): Readonly<Record<string, string>>
  /** What is left of the rate, where one is enforced. */
  rateHeaders(allowance: RateAllowance): Readonly<Record<string, string>>
  /** How long a client that went beyond it has to wait. */
  waitHeaders(waitMs: number): Readonly<Record<string, string>>
  body(message: AssistantMessage): object
  frames(message: AssistantMessage): Iterable<WireFrame>
  /** What the beginning of a stream tells of its usage, if anything. */
  openingUsage(message: AssistantMessage): TokenUsage | null
  errorFrame(error: { readonly type: string; readonly message: string }): string
  readonly malformedFrame: string
  sendError(response: ServerResponse, error: ApiErrorReply): void
}
