// A demo rule looks at the conversation and answers, or leaves it to the next rule.
import type { Conversation } from '../conversation.ts'
import type { Reply } from '../reply.ts'

export type DemoRule = { readonly name: string; readonly reply: (conversation: Conversation) => Reply | null }
export type { Conversation, Reply }
