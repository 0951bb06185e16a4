// The Chat Completions API of the simulator.
import type { ServerResponse } from 'node:http'
import {
  type ApiErrorReply,
  completionBody,
  completionChunks,
  type OpenAiFlavour,
  openAiErrorBody,
} from '@quarterdeck/model'
import type { LimitAllowance } from '../faults/rate-limiter.ts'
import type { WireFormat, WireFrame } from './wire-format.ts'

export interface OpenAiWireOptions {
  readonly flavour: OpenAiFlavour
  readonly includeUsage: boolean
}

export function createOpenAiWire({ flavour, includeUsage }: OpenAiWireOptions): WireFormat {
  return {
    name: 'openai',
    idPrefix: { message: 'chatcmpl-sim-', call: 'call_sim_' },
    headers: (requestId) => ({ 'x-request-id': requestId }),
    rateHeaders: ({ requests, inputTokens }) => ({
      ...limitHeaders('requests', requests),
      ...limitHeaders('tokens', inputTokens),
    }),
    // The official client reads the finer one first.
    waitHeaders: (waitMs) => ({
      'retry-after': String(Math.ceil(waitMs / 1000)),
      'retry-after-ms': String(Math.ceil(waitMs)),
    }),
    body: completionBody,
    *frames(message) {
      for (const { kind, body } of completionChunks(message, includeUsage)) {
        yield {
          text: frame(JSON.stringify(body)),
          isDelta: kind === 'delta',
          isOpening: kind === 'opening',
          endsUsage: kind === (includeUsage ? 'usage' : 'finish'),
        }
      }
      yield doneFrame
    },
    openingUsage: () => null,
    errorFrame: ({ type, message }) => frame(JSON.stringify({ error: { message, type, param: null, code: null } })),
    malformedFrame: frame('{"object":"chat.completion.chunk","choices":[{"index":0,"delta"'),
    sendError: (response, error) => sendOpenAiError(response, error, flavour),
  }
}

/** Does nothing for a client that has left. */
function sendOpenAiError(response: ServerResponse, error: ApiErrorReply, flavour: OpenAiFlavour): void {
  if (response.destroyed) return
  const { status, message, requestId, headers } = error
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': requestId, ...headers })
  response.end(JSON.stringify(openAiErrorBody(status, message, flavour)))
}

const limitHeaders = (name: string, { limit, remaining, resetMs }: LimitAllowance): Record<string, string> => ({
  [`x-ratelimit-limit-${name}`]: String(limit),
  [`x-ratelimit-remaining-${name}`]: String(remaining),
  [`x-ratelimit-reset-${name}`]: `${Math.ceil(resetMs)}ms`,
})

const frame = (data: string): string => `data: ${data}\n\n`

const doneFrame: WireFrame = { text: frame('[DONE]'), isDelta: false, isOpening: false, endsUsage: false }
