// The API-specific parts of the simulator: the shape of answers, frames and errors.
import type { ServerResponse } from 'node:http'
import type { ApiErrorReply, AssistantMessage } from '@quarterdeck/model'
import type { TokenUsage } from '@quarterdeck/protocol'
import type { RateAllowance } from '../faults/rate-limiter.ts'

export interface WireFrame {
  readonly text: string
  /** Pauses and faults in the middle count these frames. */
  readonly isDelta: boolean
  /** A stream is not broken before its opening frame. */
  readonly isOpening: boolean
  /** After it the client has the whole usage, or will never get it. */
  readonly endsUsage: boolean
}

export interface WireFormat {
  readonly name: 'anthropic' | 'openai'
  readonly idPrefix: { readonly message: string; readonly call: string }
  /** Sent with every answer. */
  headers(requestId: string): Readonly<Record<string, string>>
  /** The remaining amounts, if a rate is enforced. */
  rateHeaders(allowance: RateAllowance): Readonly<Record<string, string>>
  /** How long a client beyond the rate has to wait. */
  waitHeaders(waitMs: number): Readonly<Record<string, string>>
  body(message: AssistantMessage): object
  frames(message: AssistantMessage): Iterable<WireFrame>
  /** The usage in the opening frame of a stream, if any. */
  openingUsage(message: AssistantMessage): TokenUsage | null
  errorFrame(error: { readonly type: string; readonly message: string }): string
  readonly malformedFrame: string
  sendError(response: ServerResponse, error: ApiErrorReply): void
}
