// One request for embeddings: the fault first, then the vectors.

import type { ServerResponse } from 'node:http'
import { describeRequestProblem, EmbeddingsRequest, inputsOf } from '@quarterdeck/model'
import { sleep } from '@quarterdeck/protocol'
import type { Fault } from '../faults/fault.ts'
import { embedText } from '../replies/embed-text.ts'
import { tokensIn } from '../replies/estimate-usage.ts'
import type { WireFormat } from '../wires/wire-format.ts'
import { refuse } from './refuse.ts'
import type { ServedLog } from './served-log.ts'

export interface EmbeddingsDeps {
  readonly embeddingFaultFor: (requestNumber: number) => Fault | null
  readonly log: ServedLog
}

export interface EmbeddingsExchange {
  readonly number: number
  readonly body: unknown
  readonly wire: WireFormat
  readonly requestId: string
  readonly response: ServerResponse
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

function inBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}
