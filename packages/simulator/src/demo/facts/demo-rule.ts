// A demo rule looks at the conversation and answers, or leaves it to the next rule.
import type { SimulatedConversation } from '../../replies/read-conversation.ts'
import type { Reply } from '../../replies/reply.ts'

/**
 * The number of characters of a message that most rules read. Their patterns, and those of tool schemas, may scan a text
 * repeatedly: the limit keeps the time of an answer linear in the length of the message.
 */
export const longestRead = 8_000

export interface DemoRule {
  readonly name: string
  readonly reply: (conversation: SimulatedConversation) => Reply | null
}
export type { Reply, SimulatedConversation }
