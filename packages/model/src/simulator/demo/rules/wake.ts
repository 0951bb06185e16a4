// After a crash the engine tells what was decided meanwhile: approved calls are issued again exactly, denied ones never.
import { parseApprovedCalls, parseDeniedCalls, type WakeCall } from '@quarterdeck/protocol'
import { callsOfTurn } from '../../conversation.ts'
import { callTools, say, type ToolCall } from '../../reply.ts'
import type { DemoRule } from '../rule.ts'

export const wake: DemoRule = {
  name: 'wake',
  reply(conversation) {
    if (!isWakeMessage(conversation.prompt)) return null
    const issued = callsOfTurn(conversation)
    const open = parseApprovedCalls(conversation.prompt).filter(
      (call) => conversation.offered.has(call.tool) && !issued.some((each) => each.name === call.tool),
    )
    if (open.length > 0) {
      return callTools('I am back. I issue what you allowed, exactly as it was.', ...open.map(toToolCall))
    }
    const denied = parseDeniedCalls(conversation.prompt)
    if (denied.length === 0) return null
    const notes = denied.map(({ tool, note }) => `${tool}${note ? ` ("${note}")` : ''}`).join(', ')
    return say(`I am back. You denied ${notes}, so I stop here and have not run it. How would you like to go on?`)
  },
}

/** An approved call of a subagent may name a tool the lead never had; said only when no task goes on by itself. */
export const wakeInVain: DemoRule = {
  name: 'wake-in-vain',
  reply({ prompt, offered, endsWithPrompt }) {
    const missing = parseApprovedCalls(prompt).find((call) => !offered.has(call.tool))
    if (!missing || !endsWithPrompt) return null
    return say(
      `I am back. You allowed ${missing.tool}, but that tool is not offered to me, so I can not issue the call again.`,
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
