// How an agent reaches a model.
import type { ModelProvider, RequestAdmission } from '@quarterdeck/protocol'

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
