// Chat Completions through the official client: OpenAI, Azure and compatible servers such as Ollama.

import { randomUUID } from 'node:crypto'
import { isRecord } from '@quarterdeck/protocol'
import OpenAI, { APIConnectionError, APIError, AzureOpenAI } from 'openai'
import { z } from 'zod'
import type { InProcessAccess } from '../../../ports/model-access.ts'
import type { AnswerPart } from '../conversation/entry.ts'
import type { ModelWire, WireAnswer, WireListener, WireRequest, WireStopReason } from './model-wire.ts'
import { type MaxTokensName, openaiParameters } from './openai-parameters.ts'
import { callPart, type StreamedCall } from './parse-input.ts'
import { providerFetch } from './provider-fetch.ts'
import { countTokens, ReportedCount, type ReportedTokens, unreported } from './reported-tokens.ts'
import { nameIn, servedModel, textIn, uniqueId } from './response-fields.ts'
import {
  brokenFailure,
  malformedFailure,
  mostParts,
  overlongFailure,
  providerFailure,
  WireFailure,
} from './wire-failure.ts'

export interface OpenaiAccess extends Pick<InProcessAccess, 'baseUrl' | 'apiKey' | 'apiVersion'> {
  readonly wire: 'openai' | 'azure_openai'
  readonly maxTokensName: MaxTokensName
}

export function createOpenaiWire(access: OpenaiAccess): ModelWire {
  const client = createClient(access)
  return {
    async ask(request, listener) {
      try {
        const parameters = openaiParameters(request, access.maxTokensName)
        const stream = await client.chat.completions.create(parameters, { signal: listener.signal })
        return await read(stream, request, listener)
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

/** Set explicitly: otherwise the client would read it from the environment. */
function createClient({ wire, baseUrl, apiKey, apiVersion }: OpenaiAccess): OpenAI {
  const key = apiKey === '' ? 'none' : apiKey
  // The log would write model output to stderr.
  const common = { apiKey: key, maxRetries: 0, logLevel: 'off', fetch: providerFetch } as const
  const noAccount = { organization: null, project: null, webhookSecret: null, adminAPIKey: null }
  if (wire === 'openai') return new OpenAI({ ...common, ...noAccount, baseURL: baseUrl })
  return new AzureOpenAI({
    ...common,
    ...noAccount,
    baseURL: null,
    endpoint: baseUrl,
    apiVersion: apiVersion ?? defaultApiVersion,
  })
}

/** The latest version that is not a preview. */
const defaultApiVersion = '2024-10-21'

interface Read {
  text: string
  thinking: string
  /** The text of a model that refuses. */
  refusal: string
  readonly calls: OpenCall[]
  finish: string | null
  reported: ReportedTokens
}

type OpenCall = { -readonly [Key in keyof StreamedCall]: StreamedCall[Key] } & { readonly index: number }

async function read(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
  request: WireRequest,
  listener: WireListener,
): Promise<WireAnswer> {
  const answer: Read = { text: '', thinking: '', refusal: '', calls: [], finish: null, reported: unreported }
  let hasBegun = false
  for await (const chunk of stream) {
    listener.alive()
    if (!isRecord(chunk)) throw malformedFailure(`${JSON.stringify(chunk)} as part of its answer`)
    if (!hasBegun) {
      hasBegun = true
      const tokens = countTokens(unreported, request, 0)
      const messageId = uniqueId(chunk.id, 'chatcmpl')
      listener.begun({ messageId, servedModel: servedModel(chunk.model, request.model), tokens })
    }
    if (isRecord(chunk.usage)) answer.reported = reportedBy(chunk.usage)
    const choice = chunk.choices?.[0]
    if (!isRecord(choice)) continue
    if (choice.finish_reason) answer.finish = choice.finish_reason
    const drained = addDelta(answer, choice.delta, listener)
    if (drained !== null) await drained
  }
  // An aborted client also ends without an error.
  if (answer.finish === null) throw new WireFailure('the answer broke off', { isRetryable: true })
  return finished(answer, request)
}

type Delta = OpenAI.ChatCompletionChunk.Choice.Delta | undefined

function addDelta(answer: Read, delta: Delta, listener: WireListener): Promise<void> | null {
  if (!isRecord(delta)) return null
  const thinking = thinkingIn(delta)
  const refusal = textIn(delta.refusal ?? '')
  const text = textIn(delta.content ?? '') + refusal
  if (Array.isArray(delta.tool_calls))
    for (const piece of delta.tool_calls) listener.wrote(addCall(answer.calls, piece))
  answer.thinking += thinking
  answer.refusal += refusal
  answer.text += text
  const drained = thinking === '' ? null : listener.streamed('thinking', thinking)
  return text === '' ? drained : listener.streamed('text', text)
}

/** Not in the official schema: Ollama calls it `reasoning`, others `reasoning_content`. */
function thinkingIn(delta: object): string {
  if ('reasoning_content' in delta && typeof delta.reasoning_content === 'string') return delta.reasoning_content
  return 'reasoning' in delta && typeof delta.reasoning === 'string' ? delta.reasoning : ''
}

/**
 * Fragments of one call share an index. A server that numbers all calls 0 gives each its own id. Returns the number of
 * characters.
 */
function addCall(calls: OpenCall[], delta: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): number {
  if (!isRecord(delta)) throw malformedFailure('a call that is not an object')
  const { index, function: piece } = delta
  const id = nameIn(delta.id, 'the id of a call')
  const name = nameIn(piece?.name, 'the name of a call')
  const json = argumentsIn(piece?.arguments ?? '')
  const open = calls.findLast((call) => call.index === index)
  if (open !== undefined && (id === '' || open.toolUseId === id || name === '')) {
    open.json += json
    return json.length
  }
  if (calls.length >= mostParts) throw overlongFailure(`${mostParts} parts`)
  calls.push({ index, toolUseId: id || `call_${randomUUID()}`, toolName: name, json })
  return name.length + json.length
}

/** Some servers do not serialize arguments as text. */
function argumentsIn(reported: unknown): string {
  if (!isRecord(reported)) return textIn(reported)
  try {
    return JSON.stringify(reported)
  } catch {
    throw malformedFailure('arguments that are nested too deeply')
  }
}

function finished(answer: Read, request: WireRequest): WireAnswer {
  const parts: AnswerPart[] = [
    ...(answer.thinking === '' ? [] : [{ type: 'thinking' as const, text: answer.thinking, signature: '' }]),
    ...(answer.text === '' ? [] : [{ type: 'text' as const, text: answer.text }]),
    ...answer.calls.map(callPart),
  ]
  const { refusal } = answer
  const tokens = countTokens(answer.reported, request, charactersOf(answer))
  return { parts, stopReason: stopReasonOf(answer), tokens, ...(refusal !== '' && { refusal }) }
}

/** Some servers finish with `stop` although the answer has calls. */
function stopReasonOf({ finish, calls, refusal }: Read): WireStopReason {
  if (calls.length > 0) return 'calls'
  if (finish === 'length') return 'max_tokens'
  return finish === 'content_filter' || refusal !== '' ? 'refusal' : 'done'
}

const charactersOf = ({ text, thinking, calls }: Read): number =>
  calls.reduce((sum, { toolName, json }) => sum + toolName.length + json.length, text.length + thinking.length)

const Usage = z.object({
  prompt_tokens: ReportedCount,
  completion_tokens: ReportedCount,
  prompt_tokens_details: z.object({ cached_tokens: ReportedCount }).nullish().catch(null),
})

/** Cached tokens are part of the prompt count here, but are booked separately. */
function reportedBy(usage: object): ReportedTokens {
  const { data } = Usage.safeParse(usage)
  if (data === undefined) return unreported
  const { prompt_tokens: prompt, completion_tokens: output } = data
  const cacheRead = Math.min(prompt ?? 0, data.prompt_tokens_details?.cached_tokens ?? 0)
  return { input: prompt === null ? null : prompt - cacheRead, output, cacheRead, cacheWrite: 0 }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return brokenFailure(error)
  const { status, headers, type, code } = error
  return providerFailure({ status, headers, type: code ?? type, message: messageIn(error.error) }, error)
}

function messageIn(body: unknown): unknown {
  return isRecord(body) && 'message' in body ? body.message : typeof body === 'string' ? body : ''
}
