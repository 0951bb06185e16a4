// What a request will ask of money and rate, read from its body before it goes.
import { createHash } from 'node:crypto'
import { parseJson } from '@quarterdeck/protocol'
import { z } from 'zod'
import { estimateTokens } from '../../wire/estimate-tokens.ts'
import { jsonLength } from '../../wire/json-length.ts'

export interface RequestFacts {
  readonly model: string
  readonly inputTokens: number
  readonly maxOutputTokens: number
  /** The same for every request of one conversation, whatever was said since it began. */
  readonly conversation: string
}

const Body = z.looseObject({
  model: z.string(),
  max_tokens: z.number().nonnegative().catch(0),
  messages: z.array(z.unknown()).catch([]),
  tools: z.array(z.unknown()).catch([]),
  system: z.unknown().optional(),
})

// A picture is priced by its area, not by the length of its base64; this is about the largest one a provider keeps.
const tokensOfMedia = 1_600

/** Null when the body is not a JSON object that names a model. */
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

// Cache markers wander through a conversation, and a system prompt may carry a counter: neither says which one it is.
function wordsOf(message: unknown): string | null | (string | null)[] {
  if (!isRecord(message)) return null
  const { content } = message
  return Array.isArray(content)
    ? content.map((block) => (isRecord(block) ? textIn(block.text) : null))
    : textIn(content)
}

function nameOf(tool: unknown): string | null {
  return isRecord(tool) ? textIn(tool.name) : null
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
