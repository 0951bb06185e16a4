// After a crash the engine tells what was decided meanwhile: approved calls are issued again exactly, denied ones never.
import { parseApprovedCalls, parseDeniedCalls, type WakeCall } from '@quarterdeck/protocol'
import { callsOfTurn } from '../../conversation.ts'
import { callTools, say, type ToolCall } from '../../reply.ts'
import type { DemoRule } from '../rule.ts'

export const wake: DemoRule = {
  name: 'wake',
  reply(conversation) {
    if (!isWakeMessage(conversation.prompt)) return null
    const approved = parseApprovedCalls(conversation.prompt)
    const issued = callsOfTurn(conversation)
    const open = approved.filter((call) => !issued.some((each) => each.name === call.tool))
    const missing = open.find((call) => !conversation.offered.has(call.tool))
    if (missing) {
      return say(
        `You allowed ${missing.tool}, but that tool is not offered to me any more, so I can not issue the call again.`,
      )
    }
    if (open.length > 0) {
      return callTools('I am back. I issue what you allowed, exactly as it was.', ...open.map(toToolCall))
    }
    if (issued.length > 0) return null
    const denied = parseDeniedCalls(conversation.prompt)
    const notes = denied.map(({ tool, note }) => `${tool}${note ? ` ("${note}")` : ''}`).join(', ')
    return say(
      `I am back. You denied ${notes}, so I stop here and have not run it. Tell me how you would like to go on.`,
    )
  },
}

export function isWakeMessage(text: string): boolean {
  return parseApprovedCalls(text).length > 0 || parseDeniedCalls(text).length > 0
}

function toToolCall(call: WakeCall): ToolCall {
  const input = typeof call.input === 'object' && call.input !== null ? { ...call.input } : {}
  return { name: call.tool, input }
}
