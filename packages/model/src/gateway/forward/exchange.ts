import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ModelRequest } from '@quarterdeck/protocol'
import type { ModelGatewayOptions, RetryPolicy } from '../model-gateway.ts'
import type { PromptCacheMemory } from '../rate/prompt-cache-memory.ts'
import type { RateShaper } from '../rate/rate-shaper.ts'
import type { OpenSession } from '../session-tokens.ts'
import type { UpstreamClient } from './send-to-upstream.ts'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly session: OpenSession
  readonly requestId: string
  readonly pathname: string
  /** Aborts when the client leaves, the session closes or the gateway closes. */
  readonly signal: AbortSignal
}

export type ForwardDeps = Omit<ModelGatewayOptions, 'retry'> & {
  readonly client: UpstreamClient
  readonly shaper: RateShaper
  readonly promptCache: PromptCacheMemory
  readonly retry: RetryPolicy
}

/** A request that costs money. */
export interface Billed {
  readonly model: ModelRequest
  readonly conversation: string
}
