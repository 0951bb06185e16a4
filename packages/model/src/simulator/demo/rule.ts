// A demo rule looks at the conversation and answers, or leaves it to the next rule.
import type { Conversation } from '../conversation.ts'
import type { Reply } from '../reply.ts'

/**
 * How many letters of a message the rules for new wishes read. Their patterns, and those of tool schemas, may look at a
 * text many times over: the bound keeps the time of an answer linear in the length of a message.
 */
export const LONGEST_READ = 8_000

export type DemoRule = { readonly name: string; readonly reply: (conversation: Conversation) => Reply | null }
export type { Conversation, Reply }
