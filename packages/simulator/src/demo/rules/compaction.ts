import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

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
