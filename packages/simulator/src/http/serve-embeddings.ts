// One request for embeddings: the fault first, then the vectors.
import { describeRequestProblem, EmbeddingsRequest, inputsOf } from '@quarterdeck/model'
import { sleep } from '@quarterdeck/protocol'
import type { Fault } from '../faults/fault.ts'
import { tokensIn } from '../replies/estimate-usage.ts'
import { isFiller, stemOf, wordsIn } from '../replies/words.ts'
import { type Refusable, refuse } from './refuse.ts'
import type { ServedLog } from './served-log.ts'

export interface EmbeddingsDeps {
  readonly embeddingFaultFor: (requestNumber: number) => Fault | null
  readonly log: ServedLog
}

export interface EmbeddingsExchange extends Refusable {
  readonly number: number
  readonly body: unknown
}

const longestInputTokens = 8_192
const mostTokens = 300_000
const usualDimensions = 1_536
const dimensionsOfModel: Readonly<Record<string, number>> = { 'text-embedding-3-large': 3_072, 'nomic-embed-text': 768 }

export async function serveEmbeddings(exchange: EmbeddingsExchange, deps: EmbeddingsDeps): Promise<void> {
  const { wire, response, requestId } = exchange
  const bad = (message: string) => wire.sendError(response, { status: 400, message, requestId })
  const fault = deps.embeddingFaultFor(exchange.number)
  if (fault?.type === 'slow_first_byte') await sleep(fault.delay_ms)
  else if (fault) return void refuse(exchange, fault.type === 'status' ? fault : { type: 'reset_before_headers' })
  const parsed = EmbeddingsRequest.safeParse(exchange.body)
  if (!parsed.success) return bad(describeRequestProblem(parsed.error))
  const { model } = parsed.data
  const inputs = inputsOf(parsed.data)
  const counts = inputs.map(tokensIn)
  const tokens = counts.reduce((sum, count) => sum + count, 0)
  if (Math.max(...counts) > longestInputTokens) {
    return bad(`This model's maximum context length is ${longestInputTokens} tokens: an input is longer.`)
  }
  if (tokens > mostTokens) return bad(`Requested ${tokens} tokens, max ${mostTokens} tokens per request.`)
  const dimensions = parsed.data.dimensions ?? dimensionsOfModel[model] ?? usualDimensions
  const data = inputs.map((input, index) => {
    const vector = embedText(input, dimensions)
    const embedding = parsed.data.encoding_format === 'base64' ? inBase64(vector) : [...vector]
    return { object: 'embedding', index, embedding }
  })
  deps.log.noteEmbedding({ model, inputs, tokens, dimensions })
  const usage = { prompt_tokens: tokens, total_tokens: tokens }
  response.writeHead(200, { ...wire.headers(requestId), 'content-type': 'application/json' })
  response.end(JSON.stringify({ object: 'list', data, model, usage }))
}

const inBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

const slotsPerFeature = 3
const wordWeight = 1
const lettersWeight = 0.25
const fillerWeight = 0.1

/**
 * A deterministic vector for a text, from hashed words and their letters. Texts that share words or stems are near each
 * other; the meaning of words is unknown. Of length one, unless the text has no letter or digit.
 */
export function embedText(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    for (let slot = 0; slot < slotsPerFeature; slot += 1) {
      const hash = hashOf(`${slot}:${feature}`)
      const at = hash % dimensions
      vector[at] = (vector[at] ?? 0) + (hash & 0x80000000 ? -weight : weight)
    }
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

// A word that occurs ten times counts more than once, but not ten times.
function featuresOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  const add = (feature: string, weight: number) => counts.set(feature, (counts.get(feature) ?? 0) + weight)
  for (const word of wordsIn(text)) {
    if (isFiller(word)) {
      add(word, fillerWeight)
      continue
    }
    add(stemOf(word), wordWeight)
    for (let at = 0; at + 3 <= word.length; at += 1) add(`~${word.slice(at, at + 3)}`, lettersWeight)
  }
  return new Map([...counts].map(([feature, weight]) => [feature, Math.sqrt(weight)]))
}

/** FNV-1a, mixed once more: the low bits choose a dimension and the highest one a sign. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 15)) >>> 0
}
