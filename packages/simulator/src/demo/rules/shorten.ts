import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

const shortenPattern = /^[^:\n]*\b(?:summari[sz]e|summary|shorten|tl;?dr|in one sentence)\b[^:\n]*[:\n]\s*(\S[\s\S]*)$/i

/** "summarise in one sentence: …" returns the first sentence, to try a prompt tool. */
export const shorten: DemoRule = {
  name: 'shorten',
  reply({ prompt }) {
    const text = shortenPattern.exec(prompt)?.[1]?.trim()
    return text ? textReply(/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text) : null
  },
}
