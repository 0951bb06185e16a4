import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

/** The last rule refuses, so the simulator never invents an answer. */
export const unknown: DemoRule = {
  name: 'unknown',
  reply({ prompt }) {
    const asked = prompt.length > 120 ? `${prompt.slice(0, 120)}…` : prompt
    return textReply(
      `I can not answer "${asked}". I am the local simulator, not a model: I know a few rules and invent nothing. ` +
        'Ask "what can you do" to see what works here; with a provider key a real model answers this agent as it is.',
    )
  },
}
