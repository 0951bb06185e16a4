// Chat Completions through the official client: OpenAI, Azure, and every server that speaks the same (Ollama).
import { randomUUID } from 'node:crypto'
import type { TokenCounts } from '@quarterdeck/protocol'
import OpenAI, { APIConnectionError, APIError, AzureOpenAI } from 'openai'
import { z } from 'zod'
import type { Part } from '../conversation/entry.ts'
import { estimateTokens, tokensOf } from '../estimate-tokens.ts'
import type { ModelWire, StopReason, WireAnswer, WireEar, WireRequest } from './model-wire.ts'
import { type MaxTokensName, openaiParameters } from './openai-parameters.ts'
import { callPart, type StreamedCall } from './parse-input.ts'
import { providerFetch } from './provider-fetch.ts'
import { brokenFailure, oddFailure, toldFailure, WireFailure } from './wire-failure.ts'

export interface OpenaiAccess {
  readonly wire: 'openai' | 'azure_openai'
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiVersion: string | null
  readonly maxTokensName: MaxTokensName
}

export function createOpenaiWire(access: OpenaiAccess): ModelWire {
  const client = createClient(access)
  return {
    async ask(request, ear) {
      try {
        const parameters = openaiParameters(request, access.maxTokensName)
        const stream = await client.chat.completions.create(parameters, { signal: ear.signal })
        return await read(stream, request, ear)
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

/** What is not said here the client would look for in the environment. */
function createClient({ wire, baseUrl, apiKey, apiVersion }: OpenaiAccess): OpenAI {
  const key = apiKey === '' ? 'none' : apiKey
  // Its log would write what a model said to stderr.
  const common = { apiKey: key, maxRetries: 0, logLevel: 'off', fetch: providerFetch } as const
  const nobody = { organization: null, project: null, webhookSecret: null, adminAPIKey: null }
  if (wire === 'openai') return new OpenAI({ ...common, ...nobody, baseURL: baseUrl })
  return new AzureOpenAI({
    ...common,
    ...nobody,
    baseURL: null,
    endpoint: baseUrl,
    apiVersion: apiVersion ?? usualApiVersion,
  })
}

/** The latest that is not a preview. */
const usualApiVersion = '2024-10-21'

interface Read {
  text: string
  thinking: string
  /** The words of a model that will not answer. */
  refusal: string
  readonly calls: OpenCall[]
  finish: string | null
  tokens: TokenCounts | null
}

type OpenCall = { -readonly [Key in keyof StreamedCall]: StreamedCall[Key] } & { readonly index: number }

async function read(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  request: WireRequest,
  ear: WireEar,
): Promise<WireAnswer> {
  const answer: Read = { text: '', thinking: '', refusal: '', calls: [], finish: null, tokens: null }
  let hasBegun = false
  for await (const chunk of stream) {
    ear.alive()
    if (!isObject(chunk)) throw oddFailure(`${JSON.stringify(chunk)} as a piece of its answer`)
    if (!hasBegun) {
      hasBegun = true
      const tokens = { input: estimateTokens(request), output: 0, cacheRead: 0, cacheWrite: 0 }
      ear.begun({ messageId: ownId(chunk.id), servedModel: chunk.model || request.model, tokens })
    }
    if (chunk.usage) answer.tokens = countsOf(chunk.usage)
    const choice = chunk.choices?.[0]
    if (!isObject(choice)) continue
    if (choice.finish_reason) answer.finish = choice.finish_reason
    const room = addDelta(answer, choice.delta, ear)
    if (room !== null) await room
  }
  // Also when it was aborted: the client ends quietly then.
  if (answer.finish === null) throw new WireFailure('the answer broke off', { isRetryable: true })
  return finished(answer, request)
}

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta | undefined

function addDelta(answer: Read, delta: Delta, ear: WireEar): Promise<void> | null {
  if (!isObject(delta)) return null
  const thinking = thinkingIn(delta)
  const refusal = wordsIn(delta.refusal)
  const text = wordsIn(delta.content) + refusal
  if (Array.isArray(delta.tool_calls)) for (const piece of delta.tool_calls) addCall(answer.calls, piece)
  answer.thinking += thinking
  answer.refusal += refusal
  answer.text += text
  const room = thinking === '' ? null : ear.said('thinking', thinking)
  return text === '' ? room : ear.said('text', text)
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function wordsIn(told: unknown): string {
  if (typeof told === 'string') return told
  if (told === undefined || told === null) return ''
  throw oddFailure('words that are no text')
}

/** Some servers give the same few ids again and again: ours says which answer it was. */
const ownId = (id: string): string => `${id || 'chatcmpl'}-${randomUUID().slice(0, 8)}`

/** Not in the API's own schema: Ollama calls it `reasoning`, others `reasoning_content`. */
function thinkingIn(delta: object): string {
  if ('reasoning_content' in delta && typeof delta.reasoning_content === 'string') return delta.reasoning_content
  return 'reasoning' in delta && typeof delta.reasoning === 'string' ? delta.reasoning : ''
}

/** Pieces of one call share an index; a server that numbers all of them 0 gives each its own id. */
function addCall(calls: OpenCall[], delta: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): void {
  if (!isObject(delta)) throw oddFailure('a call that is none')
  const { index, id, function: piece } = delta
  const json = argumentsIn(piece?.arguments)
  const open = calls.findLast((call) => call.index === index)
  if (open === undefined || (id && open.toolUseId !== id && piece?.name)) {
    const toolUseId = id || `call_${randomUUID()}`
    calls.push({ index, toolUseId, toolName: piece?.name ?? '', json })
    return
  }
  open.json += json
}

/** Some servers do not write them as text. */
const argumentsIn = (told: unknown): string => (isObject(told) ? JSON.stringify(told) : wordsIn(told))

function finished(answer: Read, request: WireRequest): WireAnswer {
  const parts: Part[] = [
    ...(answer.thinking === '' ? [] : [{ type: 'thinking' as const, text: answer.thinking, signature: '' }]),
    ...(answer.text === '' ? [] : [{ type: 'text' as const, text: answer.text }]),
    ...answer.calls.map(callPart),
  ]
  const { refusal } = answer
  const tokens = answer.tokens ?? guessed(answer, request)
  return { parts, stopReason: stopReasonOf(answer), tokens, ...(refusal !== '' && { refusal }) }
}

/** Some servers end with `stop` although they call. */
function stopReasonOf({ finish, calls, refusal }: Read): StopReason {
  if (calls.length > 0) return 'calls'
  if (finish === 'length') return 'max_tokens'
  return finish === 'content_filter' || refusal !== '' ? 'refusal' : 'done'
}

const guessed = ({ text, thinking }: Read, request: WireRequest): TokenCounts => ({
  input: estimateTokens(request),
  output: tokensOf(text.length + thinking.length),
  cacheRead: 0,
  cacheWrite: 0,
  isOutputEstimated: true,
})

const Usage = z.looseObject({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int().nonnegative().nullish() }).nullish(),
})

/** What was read from the cache is part of the prompt here, and apart from it in our books. */
function countsOf(told: unknown): TokenCounts | null {
  const usage = Usage.safeParse(told)
  if (!usage.success) return null
  const cacheRead = usage.data.prompt_tokens_details?.cached_tokens ?? 0
  const input = Math.max(0, usage.data.prompt_tokens - cacheRead)
  return { input, output: usage.data.completion_tokens, cacheRead, cacheWrite: 0 }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return brokenFailure(error)
  const { status, headers, type, code } = error
  // Not everybody who speaks this wire keeps to what the client believes of a code.
  const name: unknown = code ?? type ?? null
  return toldFailure(
    { status, headers, type: name === null ? null : String(name), message: messageIn(error.error) },
    error,
  )
}

function messageIn(body: unknown): string {
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  return typeof body.message === 'string' ? body.message : ''
}
