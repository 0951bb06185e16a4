// One request for a message, for either API: the fault first, then the answer, then its encoding.
import type { MessagesRequest } from '@quarterdeck/model'
import { countedInput } from '@quarterdeck/model'
import { sleep } from '@quarterdeck/protocol'
import type { Fault } from '../faults/fault.ts'
import type { RateLimiter } from '../faults/rate-limiter.ts'
import { buildMessage, type NewIds } from '../replies/build-message.ts'
import { estimateUsage } from '../replies/estimate-usage.ts'
import { readConversation, type SimulatedConversation } from '../replies/read-conversation.ts'
import type { Reply, SimulatedAnswer } from '../replies/reply.ts'
import type { WireFormat } from '../wires/wire-format.ts'
import { failsBeforeAnswer, type Refusable, refuse } from './refuse.ts'
import type { ServedLog, ServedRequest } from './served-log.ts'
import { writeStream, writeWhole } from './write-message.ts'

export interface MessagesDeps {
  readonly respond: (conversation: SimulatedConversation) => SimulatedAnswer
  readonly faultFor: (requestNumber: number) => Fault | null
  /** Null without limits. */
  readonly limiter: RateLimiter | null
  readonly log: ServedLog
  readonly newId: () => string
  readonly paceMs: number
}

export interface MessagesExchange extends Refusable {
  readonly number: number
  readonly request: MessagesRequest
  readonly agentId: string | null
  readonly signal: AbortSignal
}

export async function serveMessages(exchange: MessagesExchange, deps: MessagesDeps): Promise<void> {
  const { wire, response, requestId, signal } = exchange
  const conversation = readConversation(exchange.request, exchange.agentId)
  const note = deps.log.open(openingEntry(exchange, conversation))
  const entry = deps.limiter?.enter(exchange.request.model, countedInput(estimateUsage(exchange.request, '')))
  if (entry?.type === 'refused') {
    note({ fault: 'rate_limit', status: 429 })
    return sendRateLimit(exchange, entry.waitMs, deps)
  }
  const scheduled = deps.faultFor(exchange.number)
  if (scheduled) note({ fault: scheduled.type })
  if (scheduled && failsBeforeAnswer(scheduled)) return note({ status: refuse(exchange, scheduled) })

  const answer = deps.respond(conversation)
  if (answer.type === 'unmatched') {
    deps.log.noteUnmatched(answer.message)
    note({ status: 400 })
    return wire.sendError(response, { status: 400, message: answer.message, requestId })
  }
  const { reply } = answer
  const fault = scheduled ?? reply.fault ?? null
  note({ answeredBy: answer.by, fault: fault?.type ?? null })
  if (fault && failsBeforeAnswer(fault)) return note({ status: refuse(exchange, fault) })

  const wait = (reply.delayMs ?? 0) + (fault?.type === 'slow_first_byte' ? fault.delay_ms : 0)
  if (wait > 0) await sleep(wait, signal)
  if (signal.aborted) return
  const message = buildMessage(withFault(reply, fault), exchange.request, idsOf(wire, deps.newId))
  note({ status: 200, messageId: message.id, usage: wire.openingUsage(message) })
  entry?.countInput(countedInput(message.usage))
  const write = exchange.request.stream ? writeStream : writeWhole
  await write(response, {
    wire,
    message,
    fault,
    signal,
    paceMs: reply.paceMs ?? deps.paceMs,
    headers: {
      ...wire.headers(requestId),
      ...rateLimitHeaders(wire, exchange.request.model, deps),
      'cache-control': 'no-cache',
    },
    onUsageSent() {
      note({ usage: message.usage })
      entry?.countOutput(message.usage.outputTokens)
    },
  })
}

function sendRateLimit(
  { wire, response, request, requestId }: MessagesExchange,
  waitMs: number,
  deps: MessagesDeps,
): void {
  const headers = { ...wire.waitHeaders(waitMs), ...rateLimitHeaders(wire, request.model, deps) }
  const message = 'This request would exceed the rate limit of the simulator.'
  wire.sendError(response, { status: 429, message, requestId, headers })
}

const rateLimitHeaders = (
  wire: WireFormat,
  model: string,
  { limiter }: MessagesDeps,
): Readonly<Record<string, string>> => (limiter === null ? {} : wire.rateHeaders(limiter.allowanceFor(model)))

// The padding is in a field that no tool has, so a client sees the size before a wrong value.
function withFault(reply: Reply, fault: Fault | null): Reply {
  if (fault?.type !== 'overlong_tool_input') return reply
  const [first = { name: 'Bash', input: {} }, ...rest] = reply.tools ?? []
  return {
    ...reply,
    tools: [{ name: first.name, input: { ...first.input, padding: 'x'.repeat(fault.bytes) } }, ...rest],
  }
}

const idsOf = ({ idPrefix }: WireFormat, newId: () => string): NewIds => ({
  message: () => `${idPrefix.message}${newId()}`,
  call: () => `${idPrefix.call}${newId()}`,
})

const openingEntry = (exchange: MessagesExchange, conversation: SimulatedConversation): ServedRequest => ({
  number: exchange.number,
  wire: exchange.wire.name,
  requestedModel: exchange.request.model,
  stream: exchange.request.stream ?? false,
  isSubagent: conversation.isSubagent,
  lastUserText: conversation.prompt,
  toolsOffered: [...conversation.offered.keys()],
  answeredBy: null,
  fault: null,
  status: null,
  messageId: null,
  usage: null,
})
