import { listedAgentTypes } from '../../replies/read-conversation.ts'
import { callTools, textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const mostSubagents = 10

/**
 * "ask a subagent to …" passes the rest of the sentence to one; "ask five subagents to …" does so five times at once.
 */
export const delegate: DemoRule = {
  name: 'delegate',
  reply(conversation) {
    const { offered, prompt } = conversation
    const request = /\b(?:subagents?|helpers?|delegate)\b\s*(?:to\s+)?(.+)/is.exec(prompt)
    const task = request?.[1]?.trim()
    if (!request || !task || !/\b(?:ask|start|use|let|launch|delegate)\b/i.test(prompt)) return null
    if (!offered.has('Agent'))
      return textReply('I cannot start a subagent: this agent does not offer me the Agent tool.')
    const own = listedAgentTypes(conversation).find((type) => !builtIn.has(type)) ?? 'general-purpose'
    const count = countOf(lastWordOf(prompt.slice(0, request.index)))
    const calls = Array.from({ length: count }, (_, at) => {
      const description = count === 1 ? task.slice(0, 40) : `${at + 1}: ${task.slice(0, 36)}`
      return { name: 'Agent', input: { subagent_type: own, description, prompt: task, run_in_background: false } }
    })
    return callTools(
      count === 1 ? 'I hand that to a subagent.' : `I hand that to ${count} subagents at once.`,
      ...calls,
    )
  },
}

const lastWordOf = (text: string): string => text.trimEnd().split(/\s/).at(-1)?.replace(/^\W+/, '') ?? ''

function countOf(word: string): number {
  const spelled = numberWords.indexOf(word.toLowerCase())
  const count = spelled === -1 ? Number(word) : spelled
  return Number.isInteger(count) ? Math.min(mostSubagents, Math.max(1, count)) : 1
}

const builtIn = new Set(['claude', 'Explore', 'Plan', 'general-purpose', 'statusline-setup', 'output-style-setup'])
