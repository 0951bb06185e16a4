// Follow-ups that need only the history of the session.
import type { Entry } from '../../replies/read-conversation.ts'
import { callTools, textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

const namePattern = /\b(?:my name is|call me|i am called)\s+([\p{L}'-]+)/iu

export const memory: DemoRule = {
  name: 'memory',
  reply({ prompt, entries, promptIndex }) {
    const earlier = entries.slice(0, promptIndex)
    const statedName = namePattern.exec(prompt)?.[1]
    if (statedName)
      return textReply(`Nice to meet you, ${statedName}. Ask me later what your name is: it stays in this session.`)
    if (/\bwhat(?:'s| is) my name\b|\bwho am i\b/i.test(prompt)) return textReply(recallName(earlier))
    if (/\bwhat did i (?:say|ask|tell)\b|\bmy (?:first|last|previous) (?:question|message)\b/i.test(prompt)) {
      const asked = earlier.flatMap((entry) => (entry.type === 'prompt' ? [`- ${entry.text}`] : []))
      return textReply(
        asked.length > 0
          ? `In this session you said:\n${asked.join('\n')}`
          : 'This is your first message in this session.',
      )
    }
    if (
      /^\s*(?:please\s+)?(?:again|repeat(?: that| it)?|once more|say that again|do (?:it|that) again)\s*[.!?]*$/i.test(
        prompt,
      )
    ) {
      return repeatLast(earlier)
    }
    return null
  },
}

function recallName(earlier: readonly Entry[]): string {
  const names = earlier.flatMap((entry) => (entry.type === 'prompt' ? (namePattern.exec(entry.text)?.[1] ?? []) : []))
  const name = names.at(-1)
  return name
    ? `Your name is ${name}: you told me earlier in this session.`
    : 'You have not told me your name in this session.'
}

function repeatLast(earlier: readonly Entry[]) {
  const last = earlier.findLast((entry) => entry.type === 'call' || entry.type === 'said')
  const call = earlier.findLast((entry) => entry.type === 'call')
  const mentionIndex = earlier.findLastIndex((entry) => entry.type === 'prompt')
  if (call && earlier.indexOf(call) > mentionIndex)
    return callTools('Once more.', { name: call.name, input: call.input })
  return textReply(last?.type === 'said' ? last.text : 'There is nothing to repeat yet.')
}
