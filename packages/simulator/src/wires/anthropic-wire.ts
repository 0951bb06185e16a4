// The Messages API of the simulator.
import { encodeSseFrame, messageBody, messageEvents, sendApiError } from '@quarterdeck/model'
import type { LimitAllowance } from '../faults/rate-limiter.ts'
import type { WireFormat } from './wire-format.ts'

export const anthropicWire: WireFormat = {
  name: 'anthropic',
  idPrefix: { message: 'msg_sim_', call: 'toolu_sim_' },
  headers: (requestId) => ({ 'request-id': requestId }),
  rateHeaders: ({ requests, inputTokens, outputTokens }) => ({
    ...limitHeaders('requests', requests),
    ...limitHeaders('input-tokens', inputTokens),
    ...limitHeaders('output-tokens', outputTokens),
  }),
  waitHeaders: (waitMs) => ({ 'retry-after': String(Math.ceil(waitMs / 1000)) }),
  body: messageBody,
  *frames(message) {
    for (const event of messageEvents(message)) {
      const isOpening = event.type === 'message_start'
      const ping = isOpening ? encodeSseFrame('ping', { type: 'ping' }) : ''
      yield {
        text: encodeSseFrame(event.type, event) + ping,
        isDelta: event.type === 'content_block_delta',
        isOpening,
        endsUsage: event.type === 'message_delta',
      }
    }
  },
  openingUsage: ({ usage }) => ({ ...usage, outputTokens: Math.min(1, usage.outputTokens) }),
  errorFrame: (error) => encodeSseFrame('error', { type: 'error', error }),
  malformedFrame: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type"\n\n',
  sendError: sendApiError,
}

const limitHeaders = (name: string, { limit, remaining, resetMs }: LimitAllowance): Record<string, string> => ({
  [`anthropic-ratelimit-${name}-limit`]: String(limit),
  [`anthropic-ratelimit-${name}-remaining`]: String(remaining),
  [`anthropic-ratelimit-${name}-reset`]: new Date(Date.now() + resetMs).toISOString(),
})
