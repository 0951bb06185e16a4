// How an agent reaches a model, and how its requests are admitted, priced and retried.
import type { ModelProvider, TokenCounts } from '@quarterdeck/protocol'

/**
 * How the agent's process reaches a model. The token of a `gateway` is useless outside this machine and this session.
 * `environment` passes the provider's own credentials, which the agent's shell can then read.
 */
export type ModelAccess =
  | { readonly type: 'gateway'; readonly baseUrl: string; readonly token: string }
  | { readonly type: 'environment'; readonly variables: Readonly<Record<string, string>> }
  | InProcessAccess

/** For the loop, which runs in this process and may see the key: the provider's address and the request admission. */
export interface InProcessAccess {
  readonly type: 'in-process'
  /** Ollama and the simulator speak `openai` as well. */
  readonly wire: 'anthropic' | 'openai' | 'azure_openai'
  /** Providers that share a wire accept different parameters. */
  readonly provider: ModelProvider
  readonly baseUrl: string
  /** Never put it in an event, a log or an error. */
  readonly apiKey: string
  /** Anthropic accepts both headers. */
  readonly keyHeader: 'x-api-key' | 'authorization'
  readonly apiVersion: string | null
  readonly requests: RequestAdmission
  /** Overrides the loop's own policy. */
  readonly retryPolicy?: ProviderRetryPolicy
}

export interface ProviderRetryPolicy {
  readonly maxRetries?: number
  /** The longest silence allowed in the middle of an answer. */
  readonly silenceMs?: number
}

export interface RequestEstimate {
  readonly model: string
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly maxOutputTokens: number
}

/** The tokens of one answer and the model that gave it. */
export interface RequestUse {
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly tokens: TokenCounts
}

/** Budget, rate limit and bookkeeping of one session's model requests. The gateway does the same for a process. */
export interface RequestAdmission {
  /**
   * Waits for the budget and the provider's rate limit. Aborting leaves the queue and rejects with the signal's reason.
   * The same signal governs the ticket.
   */
  admit(request: RequestEstimate, signal: AbortSignal): Promise<RequestTicket | RequestRefusal>
}

export interface RequestRefusal {
  readonly type: 'refuse'
  readonly status: number
  readonly errorType: string
  readonly message: string
}

/** Ends with exactly one call of `settle` or `release`. */
export interface RequestTicket {
  readonly type: 'go'
  /** The answer has begun and costs money from now on. */
  begun(use: RequestUse): void
  /** Resolves when the use is booked. The answer must not end before that. */
  settle(use: RequestUse): Promise<void>
  /** The request ended without an answer. */
  release(): Promise<void>
  /**
   * Announces a retry. Resolves after `delayMs`, later if the provider's rate limit delays everyone, and at once when the
   * signal passed to `admit` aborts.
   */
  retrying(retry: {
    readonly attempt: number
    readonly maxRetries: number
    readonly delayMs: number
    readonly status: number | null
    readonly error: string
  }): Promise<void>
  /** The provider refused the key: the turn is about to end. */
  keyRefused(status: number): void
}
