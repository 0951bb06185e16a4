// After a crash the engine reports decisions: approved calls are issued again exactly, denied ones never, and answers
// and results are used as they are.
import {
  asJsonObject,
  isWakeMessage,
  parseAnswers,
  parseApprovedCalls,
  parseDeniedCalls,
  parseResults,
  type WakeCall,
} from '@quarterdeck/protocol'
import { callsOfTurn } from '../../replies/read-conversation.ts'
import { callTools, type ReplyToolCall, textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

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
    return textReply(`I am back. You denied ${notes}, so I stop here and have not run it. How would you like to go on?`)
  },
}

/**
 * An approved call of a subagent may name a tool that the lead never had. Reported only if no task continues by itself.
 */
export const wakeWithoutTool: DemoRule = {
  name: 'wake-in-vain',
  reply({ prompt, offered, endsWithPrompt }) {
    const missing = parseApprovedCalls(prompt).find((call) => !offered.has(call.tool))
    if (!missing || !endsWithPrompt) return null
    return textReply(
      `I am back. You allowed ${missing.tool}, but that tool is not offered to me, so I cannot issue the call again.`,
    )
  },
}

/** Answers and results that arrived without a process. Reported only if no task continues by itself. */
export const answerWakeMessage: DemoRule = {
  name: 'wake-to-news',
  reply({ prompt, endsWithPrompt }) {
    if (!endsWithPrompt) return null
    const answers = parseAnswers(prompt).map(({ questions, answers: given, note }) => {
      if (given === null) return `You did not answer ${questions.join(', ')}${note ? ` ("${note}")` : ''}.`
      const pairs = Object.entries(given).map(([question, answer]) => `${question} ${answerText(answer)}`)
      return `You answered: ${pairs.join('; ')}.`
    })
    const results = parseResults(prompt).map(
      ({ tool, output, isError }) => `${tool} ${isError ? 'failed' : 'returned'}: ${output}`,
    )
    const updates = [...answers, ...results]
    return updates.length === 0 ? null : textReply(`I am back. ${updates.join('\n')}`)
  },
}

const answerText = (answer: unknown): string => (typeof answer === 'string' ? answer : JSON.stringify(answer))

function toToolCall(call: WakeCall): ReplyToolCall {
  const input = asJsonObject(call.input)
  return { name: call.tool, input }
}

/** The CLI asks for a summary when it compacts. A summary of the actual questions keeps follow-ups working. */
export const compaction: DemoRule = {
  name: 'compaction',
  reply({ entries, prompt }) {
    if (!/create a detailed summary of (?:the|our|this) conversation|summary of the conversation so far/i.test(prompt))
      return null
    const asked = entries.flatMap((entry) => (entry.type === 'prompt' && entry.text !== prompt ? [entry.text] : []))
    const used = [...new Set(entries.flatMap((entry) => (entry.type === 'call' ? [entry.name] : [])))]
    const lines = asked.map((text, index) => `${index + 1}. ${text.slice(0, 200)}`)
    const tools = used.length > 0 ? `Tools used: ${used.join(', ')}.` : 'No tools were used.'
    return textReply(`<summary>\nThe user asked:\n${lines.join('\n') || '(nothing yet)'}\n\n${tools}\n</summary>`)
  },
}
