// Turns a reply into a message: ids, signatures, limits of the request, usage.
import { createHash } from 'node:crypto'
import type { AssistantMessage, MessageBlock, MessagesRequest, StopReason } from '@quarterdeck/model'
import { simulatorModel } from '@quarterdeck/protocol'
import { estimateUsage, tokensIn } from './estimate-usage.ts'
import type { Reply } from './reply.ts'

export const structuredOutputTool = 'StructuredOutput'

export interface NewIds {
  readonly message: () => string
  readonly call: () => string
}

export function buildMessage(reply: Reply, request: MessagesRequest, newIds: NewIds): AssistantMessage {
  const cut = cutText(replyText(reply, request), request)
  const calls = cut.stopReason === null ? toolCalls(reply, request) : []
  const content: MessageBlock[] = []
  if (reply.thinking !== undefined) content.push(thinkingBlock(reply.thinking, request))
  if (cut.text) content.push({ type: 'text', text: cut.text })
  for (const call of calls) content.push({ type: 'tool_use', id: newIds.call(), ...call })
  return {
    id: newIds.message(),
    model: simulatorModel,
    content,
    stopReason: reply.stopReason ?? cut.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    stopSequence: cut.stopSequence,
    usage: { ...estimateUsage(request, outputOf(content)), ...reply.usage },
  }
}

function replyText(reply: Reply, request: MessagesRequest): string {
  if (reply.structured === undefined || offersStructuredOutput(request)) return reply.text ?? ''
  return JSON.stringify(reply.structured)
}

function toolCalls(reply: Reply, request: MessagesRequest) {
  const calls = (reply.tools ?? []).map(({ name, input }) => ({ name, input }))
  if (reply.structured === undefined || !offersStructuredOutput(request)) return calls
  return [...calls, { name: structuredOutputTool, input: reply.structured }]
}

const offersStructuredOutput = (request: MessagesRequest): boolean =>
  request.tools?.some((tool) => tool.name === structuredOutputTool) ?? false

interface Cut {
  text: string
  stopReason: StopReason | null
  stopSequence: string | null
}

function cutText(text: string, request: MessagesRequest): Cut {
  const stops = (request.stop_sequences ?? []).map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
  const first = stops.filter((stop) => stop.at !== -1).sort((left, right) => left.at - right.at)[0]
  const kept = first ? text.slice(0, first.at) : text
  if (tokensIn(kept) > request.max_tokens) {
    return { text: kept.slice(0, request.max_tokens * 4), stopReason: 'max_tokens', stopSequence: null }
  }
  if (first) return { text: kept, stopReason: 'stop_sequence', stopSequence: first.sequence }
  return { text, stopReason: null, stopSequence: null }
}

// A client that asked for thinking without its text gets only the signature, as from the API.
function thinkingBlock(thinking: string, request: MessagesRequest): MessageBlock {
  const signature = createHash('sha256').update(`simulator:${thinking}`).digest('base64')
  return { type: 'thinking', thinking: request.thinking?.display === 'omitted' ? '' : thinking, signature }
}

const outputOf = (content: readonly MessageBlock[]): string => content.map((block) => JSON.stringify(block)).join('')
