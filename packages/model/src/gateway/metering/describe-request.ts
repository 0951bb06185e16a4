// The cost and rate that a request needs, read from its body before it is sent.
import { createHash } from 'node:crypto'
import { estimateTokens, isRecord, parseJson } from '@quarterdeck/protocol'
import { z } from 'zod'
import { jsonLength } from '../../wire/json-length.ts'

export interface RequestFacts {
  readonly model: string
  readonly inputTokens: number
  readonly maxOutputTokens: number
  /** The same for every request of one conversation, however much it has grown. */
  readonly conversation: string
}

const Body = z.looseObject({
  model: z.string(),
  max_tokens: z.number().nonnegative().catch(0),
  messages: z.array(z.unknown()).catch([]),
  tools: z.array(z.unknown()).catch([]),
  system: z.unknown().optional(),
})

// An image is priced by its area, not by the length of its base64. This is about the largest one that a provider
// accepts.
const tokensOfMedia = 1_600

/** Null unless the body is a JSON object with a model. */
export function describeRequest(body: Buffer): RequestFacts | null {
  const parsed = Body.safeParse(parseJson(body.toString('utf8')))
  if (!parsed.success) return null
  const { model, max_tokens: maxOutputTokens, system, tools, messages } = parsed.data
  const size = measure([system, tools, messages])
  return {
    model,
    inputTokens: estimateTokens(size.characters) + size.media * tokensOfMedia,
    maxOutputTokens,
    conversation: createHash('sha256')
      .update(JSON.stringify([model, tools.map(nameOf), wordsOf(messages[0])]))
      .digest('base64'),
  }
}

function measure(parts: readonly unknown[]): { characters: number; media: number } {
  let media = 0
  const characters = jsonLength(parts, (key, value) => {
    if (key !== 'source' || !isRecord(value) || value.type !== 'base64') return false
    media += 1
    return true
  })
  return { characters, media }
}

// Cache markers move through a conversation, and a system prompt may contain a counter: neither identifies a
// conversation.
function wordsOf(message: unknown): string | null | (string | null)[] {
  if (!isRecord(message)) return null
  const { content } = message
  return Array.isArray(content)
    ? content.map((block) => (isRecord(block) ? textIn(block.text) : null))
    : textIn(content)
}

const nameOf = (tool: unknown): string | null => (isRecord(tool) ? textIn(tool.name) : null)

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)
