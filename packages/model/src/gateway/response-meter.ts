// Reads message id, model and usage out of a response while its bytes pass by.
import { z } from 'zod'
import { mergeUsage, NO_USAGE, type TokenUsage, WireUsage } from '../wire/anthropic/usage.ts'
import { createSseFrameParser, type SseFrame } from '../wire/sse-frame.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { parseJson } from './parse-json.ts'

export type Metered = {
  readonly messageId: string
  readonly servedModel: string
  readonly usage: TokenUsage
  readonly isComplete: boolean
}

export type ResponseMeter = {
  push(chunk: Uint8Array): void
  /** Null as long as no message has begun. */
  read(): Metered | null
}

const MessageHead = z.looseObject({ id: z.string(), model: z.string(), usage: WireUsage.optional() })
const MessageStart = z.looseObject({ message: MessageHead })
const MessageDelta = z.looseObject({ usage: WireUsage.nullish() })
const BlockDelta = z.looseObject({
  delta: z.looseObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    partial_json: z.string().optional(),
  }),
})

const LARGEST_WHOLE_BODY = 64 * 1024 * 1024

/** `onBegun` hears what a stream says of itself at its start; a whole body says everything at its end. */
export function createResponseMeter(
  contentType: string | undefined,
  onBegun: (begun: Metered) => void = () => {},
): ResponseMeter {
  return contentType?.includes('text/event-stream') ? createStreamMeter(onBegun) : createBodyMeter()
}

function createStreamMeter(onBegun: (begun: Metered) => void): ResponseMeter {
  const parser = createSseFrameParser()
  let head: { messageId: string; servedModel: string } | null = null
  let usage = NO_USAGE
  let characters = 0
  let isComplete = false

  function take(frame: SseFrame): void {
    if (frame.event === 'message_start') {
      const start = MessageStart.safeParse(parseJson(frame.data))
      if (!start.success) return
      head = { messageId: start.data.message.id, servedModel: start.data.message.model }
      usage = mergeUsage(usage, start.data.message.usage ?? {})
      onBegun({ ...head, usage, isComplete: false })
    } else if (frame.event === 'message_delta') {
      const delta = MessageDelta.safeParse(parseJson(frame.data))
      if (!delta.success) return
      usage = mergeUsage(usage, delta.data.usage ?? {})
      isComplete = true
    } else if (frame.event === 'content_block_delta') {
      const { data } = BlockDelta.safeParse(parseJson(frame.data))
      characters += (data?.delta.text ?? data?.delta.thinking ?? data?.delta.partial_json ?? '').length
    }
  }

  return {
    push(chunk) {
      for (const frame of parser.push(chunk)) take(frame)
    },
    read() {
      if (!head) return null
      // A broken stream never says its total, and what came through was generated and is charged.
      const seen = Math.max(usage.outputTokens, estimateTokens(characters))
      return { ...head, usage: isComplete ? usage : { ...usage, outputTokens: seen }, isComplete }
    },
  }
}

function createBodyMeter(): ResponseMeter {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.byteLength
      if (size <= LARGEST_WHOLE_BODY) chunks.push(chunk)
    },
    read() {
      const message = MessageHead.safeParse(parseJson(Buffer.concat(chunks).toString('utf8')))
      if (!message.success) return null
      const { id, model, usage } = message.data
      return { messageId: id, servedModel: model, usage: mergeUsage(NO_USAGE, usage ?? {}), isComplete: true }
    },
  }
}
