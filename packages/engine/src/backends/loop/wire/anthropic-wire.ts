// The Messages API through the official client.

import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk'
import { isRecord } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { InProcessAccess } from '../../../ports/model-access.ts'
import { addDelta, blockOf, lengthOfBlock, partOf, type StreamedBlock } from './anthropic-blocks.ts'
import { anthropicParameters } from './anthropic-parameters.ts'
import type { ModelWire, WireAnswer, WireListener, WireRequest, WireStopReason } from './model-wire.ts'
import { providerFetch } from './provider-fetch.ts'
import { countTokens, ReportedCount, type ReportedTokens, unreported } from './reported-tokens.ts'
import { servedModel } from './response-fields.ts'
import {
  brokenFailure,
  malformedFailure,
  mostParts,
  overlongFailure,
  providerFailure,
  WireFailure,
} from './wire-failure.ts'

export interface AnthropicAccess extends Pick<InProcessAccess, 'baseUrl' | 'apiKey' | 'keyHeader'> {
  /** Returns the id under which an answer is booked, from the provider's id. */
  readonly idOf: (reported: unknown) => string
}

export function createAnthropicWire({ baseUrl, apiKey, keyHeader, idOf }: AnthropicAccess): ModelWire {
  const client = new Anthropic({
    baseURL: baseUrl,
    // The unused credential is set to null: otherwise the client would read it from the environment.
    apiKey: keyHeader === 'x-api-key' ? apiKey : null,
    authToken: keyHeader === 'authorization' ? apiKey : null,
    maxRetries: 0,
    openTelemetry: false,
    // The log would write model output to stderr.
    logLevel: 'off',
    fetch: providerFetch,
  })
  return {
    async ask(request, listener) {
      try {
        // `messages.create` writes a warning to stderr for every request to a deprecated model; this calls the same
        // endpoint.
        const asked = { body: anthropicParameters(request), stream: true, signal: listener.signal }
        const stream: AsyncIterable<Anthropic.RawMessageStreamEvent> = await client.post('/v1/messages', asked)
        return await read(stream, { request, listener, idOf })
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

interface StreamReading {
  readonly request: WireRequest
  readonly listener: WireListener
  readonly idOf: AnthropicAccess['idOf']
}

async function read(
  stream: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  { request, listener, idOf }: StreamReading,
): Promise<WireAnswer> {
  const blocks = new Map<number, StreamedBlock>()
  let reported = unreported
  let hasBegun = false
  let stopReason: WireStopReason = 'done'
  // Text before the first event costs money as well.
  const begin = (message: Partial<Anthropic.Message>) => {
    if (hasBegun) return
    hasBegun = true
    const { output, ...prompt } = reportedBy(message.usage, reported)
    reported = { ...prompt, output: null }
    const tokens = countTokens({ ...reported, output: output ?? 0 }, request, 0)
    listener.begun({ messageId: idOf(message.id), servedModel: servedModel(message.model, request.model), tokens })
  }
  for await (const event of stream) {
    listener.alive()
    if (!isWhole(event)) throw malformedFailure('an incomplete event')
    switch (event.type) {
      case 'content_block_delta': {
        begin({})
        const drained = addDelta(blocks.get(event.index), event.delta, listener)
        if (drained !== null) await drained
        break
      }
      case 'message_start':
        begin(event.message)
        break
      case 'content_block_start': {
        begin({})
        const block = blockOf(event.content_block)
        listener.wrote(lengthOfBlock(block))
        blocks.set(event.index, block)
        if (blocks.size > mostParts) throw overlongFailure(`${mostParts} parts`)
        break
      }
      case 'message_delta':
        reported = reportedBy(event.usage, reported)
        stopReason = stopReasonOf(event.delta.stop_reason)
        break
      case 'message_stop': {
        const parts = [...blocks.values()]
        const characters = parts.reduce((sum, block) => sum + lengthOfBlock(block), 0)
        return { parts: parts.map(partOf), stopReason, tokens: countTokens(reported, request, characters) }
      }
    }
  }
  throw new WireFailure('the answer broke off', { isRetryable: true })
}

/** Only the fields that are read: not every compatible server follows the API's types. */
function isWhole(event: Anthropic.RawMessageStreamEvent): boolean {
  if (!isRecord(event)) return false
  switch (event.type) {
    case 'message_start':
      return isRecord(event.message)
    case 'message_delta':
    case 'content_block_delta':
      return isRecord(event.delta)
    case 'content_block_start':
      return isRecord(event.content_block)
    default:
      return true
  }
}

const Usage = z.object({
  input_tokens: ReportedCount,
  output_tokens: ReportedCount,
  cache_read_input_tokens: ReportedCount,
  cache_creation_input_tokens: ReportedCount,
})

/** Missing counts stay unchanged: later events repeat only some of them. */
function reportedBy(usage: unknown, known: ReportedTokens): ReportedTokens {
  const { data } = Usage.safeParse(usage)
  return {
    input: data?.input_tokens ?? known.input,
    output: data?.output_tokens ?? known.output,
    cacheRead: data?.cache_read_input_tokens ?? known.cacheRead,
    cacheWrite: data?.cache_creation_input_tokens ?? known.cacheWrite,
  }
}

function stopReasonOf(reason: Anthropic.StopReason | null): WireStopReason {
  switch (reason) {
    case 'tool_use':
      return 'calls'
    case 'max_tokens':
      return 'max_tokens'
    case 'refusal':
      return 'refusal'
    case 'pause_turn':
      return 'pause'
    case 'model_context_window_exceeded':
      return 'context_window'
    default:
      return 'done'
  }
}

function failureOf(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error
  if (error instanceof APIConnectionError || !(error instanceof APIError)) return brokenFailure(error)
  const { status, headers, type, apiMessage } = error
  return providerFailure({ status, headers, type, message: apiMessage }, error)
}
