// Reads message id, model and usage from a response while its bytes are relayed. Missing or impossible counts are
// estimated: a received answer is never free.
import { estimateTokens, parseJson, type TokenUsage } from '@quarterdeck/protocol'
import { z } from 'zod'
import { mergeUsage, noUsage, WireUsage } from '../../wire/anthropic/usage.ts'
import { jsonLength } from '../../wire/json-length.ts'
import { createSseFrameParser, type ProviderFrame } from '../../wire/sse-frame.ts'

export interface Metered {
  readonly messageId: string
  readonly servedModel: string
  readonly usage: TokenUsage
  /** False when a part of the usage is an estimate. */
  readonly isComplete: boolean
}

export interface ResponseMeter {
  /** Throws when one frame or a whole body is larger than any answer. */
  push(chunk: Uint8Array): void
  /** Null until a message has begun. */
  read(): Metered | null
}

/** Known before the answer; replaces values that the answer does not contain. */
export interface MeteredRequest {
  readonly requestId: string
  readonly model: string
  readonly inputTokens: number
}

export interface MeterOptions {
  readonly request: MeteredRequest
  /** Called at the start of a stream. A whole body has everything at its end. */
  readonly onBegun?: (begun: Metered) => void
}

const text = z.string().min(1).max(256).optional().catch(undefined)
const usage = WireUsage.nullish().catch(undefined)
const MessageHead = z.looseObject({ id: text, model: text, usage })
const MessageStart = z.looseObject({ message: MessageHead })
const MessageDelta = z.looseObject({ usage })
const WholeMessage = MessageHead.extend({ content: z.array(z.unknown()).optional().catch(undefined) })
const BlockDelta = z.looseObject({
  delta: z.looseObject({
    text: z.string().optional(),
    thinking: z.string().optional(),
    partial_json: z.string().optional(),
  }),
})

const largestWholeBody = 64 * 1024 * 1024

export const createResponseMeter = (contentType: string | undefined, options: MeterOptions): ResponseMeter =>
  contentType?.includes('text/event-stream') ? createStreamMeter(options) : createBodyMeter(options)

interface Head {
  readonly messageId: string
  readonly servedModel: string
}

const headOf = ({ id, model }: z.infer<typeof MessageHead>, request: MeteredRequest): Head => ({
  messageId: id ?? `unnamed-${request.requestId}`,
  servedModel: model ?? request.model,
})

function createStreamMeter({ request, onBegun }: MeterOptions): ResponseMeter {
  const parser = createSseFrameParser()
  let head: Head | null = null
  let known = noUsage
  let characters = 0
  let isOutputReported = false

  const now = (begun: Head): Metered => ({ ...begun, ...settled({ known, request, characters, isOutputReported }) })

  function take(frame: ProviderFrame): void {
    if (frame.event === 'message_start') {
      const start = MessageStart.safeParse(parseJson(frame.data))
      if (!start.success) return
      head = headOf(start.data.message, request)
      known = mergeUsage(known, start.data.message.usage ?? {})
      onBegun?.({ ...now(head), isComplete: false })
    } else if (frame.event === 'message_delta') {
      const delta = MessageDelta.safeParse(parseJson(frame.data))
      if (!delta.success) return
      known = mergeUsage(known, delta.data.usage ?? {})
      isOutputReported ||= typeof delta.data.usage?.output_tokens === 'number'
    } else if (frame.event === 'content_block_delta') {
      const { data } = BlockDelta.safeParse(parseJson(frame.data))
      characters += (data?.delta.text ?? data?.delta.thinking ?? data?.delta.partial_json ?? '').length
      // Text was received, so there was a message, even if its start was invalid.
      head ??= headOf({}, request)
    }
  }

  return {
    push(chunk) {
      for (const frame of parser.push(chunk)) take(frame)
    },
    read: () => head && now(head),
  }
}

function createBodyMeter({ request }: MeterOptions): ResponseMeter {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    push(chunk) {
      size += chunk.byteLength
      if (size > largestWholeBody) throw new Error(`the answer is larger than ${largestWholeBody} bytes`)
      chunks.push(chunk)
    },
    read() {
      const message = WholeMessage.safeParse(parseJson(Buffer.concat(chunks).toString('utf8')))
      if (!message.success) return null
      const { id, model, usage: reported, content } = message.data
      if (content === undefined && (id === undefined || model === undefined)) return null
      const known = mergeUsage(noUsage, reported ?? {})
      const characters = content === undefined || content.length === 0 ? 0 : jsonLength(content)
      const isOutputReported = typeof reported?.output_tokens === 'number'
      return { ...headOf(message.data, request), ...settled({ known, request, characters, isOutputReported }) }
    },
  }
}

interface UsageEvidence {
  readonly known: TokenUsage
  readonly request: MeteredRequest
  /** Of the received text. */
  readonly characters: number
  /** False for a stream that broke off: the received part was generated and is charged. */
  readonly isOutputReported: boolean
}

/** No prompt is empty, and text takes tokens: such a zero counts as missing. */
function settled({
  known,
  request,
  characters,
  isOutputReported,
}: UsageEvidence): Pick<Metered, 'usage' | 'isComplete'> {
  const isInputReported = known.inputTokens + known.cacheReadInputTokens + known.cacheCreationInputTokens > 0
  const isOutputSure = isOutputReported && (known.outputTokens > 0 || characters === 0)
  const outputTokens = isOutputSure ? known.outputTokens : Math.max(known.outputTokens, estimateTokens(characters))
  const inputTokens = isInputReported ? known.inputTokens : request.inputTokens
  return { usage: { ...known, inputTokens, outputTokens }, isComplete: isInputReported && isOutputSure }
}
