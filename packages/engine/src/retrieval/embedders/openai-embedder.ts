// Vectors over the wire of OpenAI, which Azure and Ollama speak too. The official client retries, with the pauses the
// provider asks for.
import type { EmbeddingSettings } from '@quarterdeck/protocol'
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError, AzureOpenAI } from 'openai'
import type { EmbeddingAccess } from '../../model-gateway.ts'
import { type Embedder, embedderName } from './embedder.ts'
import { checkVectors, embedderUnavailable } from './embedding-errors.ts'

export interface OpenaiEmbedderDeps {
  readonly settings: EmbeddingSettings
  /** Asked for each search and each file: a key may have been changed. */
  readonly access: () => Promise<EmbeddingAccess>
}

/** Far below every provider's bound, so that a batch that fails costs little. */
const batchTexts = 64
const batchCharacters = 100_000
const maxRetries = 3
const timeoutMs = 60_000

export function createOpenaiEmbedder({ settings, access }: OpenaiEmbedderDeps): Embedder {
  let opened: { readonly client: OpenAI; readonly key: string } | null = null

  async function openClient(): Promise<OpenAI> {
    const now = await access()
    const key = JSON.stringify([now.wire, now.baseUrl, now.apiKey, now.apiVersion])
    if (opened?.key !== key) opened = { client: clientOf(settings, now), key }
    return opened.client
  }

  async function embedBatch(client: OpenAI, input: readonly string[], signal: AbortSignal) {
    try {
      const { data } = await client.embeddings.create(
        {
          model: settings.model,
          input: [...input],
          // Asked for: not everybody who speaks this wire knows the client's own choice, base64.
          encoding_format: 'float',
          ...(settings.dimensions === null ? {} : { dimensions: settings.dimensions }),
        },
        // Its own: the client never takes its listener back from the one it is given.
        { signal: AbortSignal.any([signal]) },
      )
      const vectors = data
        .toSorted((one, other) => one.index - other.index)
        .map(({ embedding }) => new Float32Array(embedding))
      return checkVectors(settings, vectors, input.length)
    } catch (error) {
      throw translate(settings, error)
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

function clientOf(settings: EmbeddingSettings, { wire, baseUrl, apiKey, apiVersion }: EmbeddingAccess): OpenAI {
  // Whoever a redirect points to would get the texts, and some keys with them.
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

function translate(settings: EmbeddingSettings, error: unknown): unknown {
  if (error instanceof APIUserAbortError || !(error instanceof APIError)) return error
  if (error instanceof APIConnectionTimeoutError) return embedderUnavailable(settings, 'does not answer in time')
  if (error instanceof APIConnectionError) {
    const remedy =
      settings.provider === 'ollama' ? 'start it with "ollama serve"' : 'check the network and the endpoint'
    return embedderUnavailable(settings, `cannot be reached: ${remedy}`)
  }
  return embedderUnavailable(settings, `${error.status ?? 'no status'}: ${remedyOf(settings, error)}`)
}

function remedyOf({ provider, model }: EmbeddingSettings, { status, message, headers }: APIError): string {
  if (status !== undefined && status < 400) return `it redirects to ${hostOf(headers)}: set its endpoint to that`
  if (status === 401 || status === 403) return 'the key is refused'
  if (status === 404 && provider === 'ollama') return `there is no such model: "ollama pull ${model}"`
  if (status === 404) return 'there is no such model or deployment'
  if (status === 429) return 'too many requests, also after waiting'
  return message.slice(0, 300)
}

function hostOf(headers: Headers | undefined): string {
  const location = headers?.get('location') ?? ''
  return URL.canParse(location) ? new URL(location).host : 'another address'
}
