// Vectors over the OpenAI API, which Azure and Ollama support too. The official client retries after the provider's
// delay.
import { type EmbeddingSettings, isQuarterdeckError, messageOf } from '@quarterdeck/protocol'
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError, AzureOpenAI } from 'openai'
import { z } from 'zod'
import type { EmbeddingAccess } from '../../ports/model-connections.ts'
import { createRedactor } from '../../redaction/redact.ts'
import { type Embedder, embedderName } from './embedder.ts'
import { checkVectors, embedderUnavailable } from './embedding-errors.ts'

export interface OpenaiEmbedderDeps {
  readonly settings: EmbeddingSettings
  /** Read for each search and each file: a key may have changed. */
  readonly access: () => Promise<EmbeddingAccess>
}

/** Far below every provider's limit, so that a failed batch costs little. */
const batchTexts = 64
const batchCharacters = 100_000
const maxRetries = 3
const timeoutMs = 60_000

export function createOpenaiEmbedder({ settings, access }: OpenaiEmbedderDeps): Embedder {
  let opened: (OpenedClient & { readonly key: string }) | null = null

  async function openClient(): Promise<OpenedClient> {
    const now = await access()
    const key = JSON.stringify([now.wire, now.baseUrl, now.apiKey, now.apiVersion])
    if (opened?.key !== key) {
      opened = { client: clientOf(settings, now), redact: createRedactor([now.apiKey]).text, key }
    }
    return opened
  }

  async function embedBatch({ client, redact }: OpenedClient, input: readonly string[], signal: AbortSignal) {
    try {
      const answer: unknown = await client.embeddings.create(
        {
          model: settings.model,
          input: [...input],
          // Explicit: not every compatible server supports the client's default, base64.
          encoding_format: 'float',
          ...(settings.dimensions === null ? {} : { dimensions: settings.dimensions }),
        },
        // A new signal: the client never removes its listener from the one it is given.
        { signal: AbortSignal.any([signal]) },
      )
      return checkVectors(settings, readVectors(settings, answer), input.length)
    } catch (error) {
      if (signal.aborted || isQuarterdeckError(error)) throw error
      throw translate(settings, error, redact)
    }
  }

  return {
    name: embedderName(settings),
    async embed(texts, signal) {
      const client = await openClient()
      const vectors: Float32Array[] = []
      for (const batch of batches(texts)) vectors.push(...(await embedBatch(client, batch, signal)))
      return checkVectors(settings, vectors, texts.length)
    },
  }
}

interface OpenedClient {
  readonly client: OpenAI
  /** Providers often repeat a refused key. */
  readonly redact: (text: string) => string
}

const Answer = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) })

function readVectors(settings: EmbeddingSettings, answer: unknown): Float32Array[] {
  const { data } = Answer.safeParse(answer)
  if (data === undefined) {
    throw embedderUnavailable(
      settings,
      'returned something other than vectors of numbers: check the endpoint and the model',
    )
  }
  return data.data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => new Float32Array(embedding))
}

function clientOf(settings: EmbeddingSettings, { wire, baseUrl, apiKey, apiVersion }: EmbeddingAccess): OpenAI {
  // The target of a redirect would receive the texts and some keys.
  const fetchOptions = { redirect: 'manual' } as const
  const common = { apiKey, maxRetries, timeout: timeoutMs, logLevel: 'off', fetchOptions } as const
  if (wire === 'openai') return new OpenAI({ ...common, baseURL: baseUrl, organization: null, project: null })
  return new AzureOpenAI({
    ...common,
    endpoint: baseUrl,
    deployment: settings.model,
    ...(apiVersion === null ? {} : { apiVersion }),
  })
}

function* batches(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length === batchTexts || (batch.length > 0 && characters + text.length > batchCharacters)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

/** Without a cause, which would contain the provider's text. */
function translate(settings: EmbeddingSettings, error: unknown, redact: (text: string) => string): unknown {
  if (error instanceof APIUserAbortError) return error
  // A response that claims to be JSON but is not.
  if (error instanceof SyntaxError) {
    return embedderUnavailable(settings, 'returned an answer that cannot be parsed: check the endpoint')
  }
  if (!(error instanceof APIError)) {
    return embedderUnavailable(settings, redact(messageOf(error)).slice(0, 300))
  }
  if (error instanceof APIConnectionTimeoutError) return embedderUnavailable(settings, 'does not respond in time')
  if (error instanceof APIConnectionError) {
    const remedy =
      settings.provider === 'ollama' ? 'start it with "ollama serve"' : 'check the network and the endpoint'
    return embedderUnavailable(settings, `cannot be reached: ${remedy}`)
  }
  return embedderUnavailable(settings, `${error.status ?? 'no status'}: ${remedyOf(settings, error, redact)}`)
}

function remedyOf(
  { provider, model }: EmbeddingSettings,
  { status, message, headers }: APIError,
  redact: (text: string) => string,
): string {
  if (status !== undefined && status < 400) return `it redirects to ${hostOf(headers)}: set its endpoint to that`
  if (status === 401 || status === 403) return 'the key is refused'
  if (status === 404 && provider === 'ollama') return `there is no such model: "ollama pull ${model}"`
  if (status === 404) return 'there is no such model or deployment'
  if (status === 429) return 'too many requests, even after waiting'
  // Redacted before it is cut: part of a key is a secret too.
  return redact(message).slice(0, 300)
}

function hostOf(headers: Headers | undefined): string {
  const location = headers?.get('location') ?? ''
  return URL.canParse(location) ? new URL(location).host : 'another address'
}
