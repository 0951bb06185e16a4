// What an MCP server wants to know from a person takes the road of every question, whoever speaks with the server.
import type { JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { QuestionAsker } from '../backends/backend.ts'

export interface Elicitation {
  readonly server: string
  readonly message: string
  /** Of a form; `null` for a link. */
  readonly schema: JsonObject | null
  readonly url: string | null
}

/** What a form can hold; anything else the server would not take. */
const Content = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

export type Elicited =
  | { readonly action: 'accept'; readonly content?: z.infer<typeof Content> }
  | { readonly action: 'decline' | 'cancel' }

export async function elicit(people: QuestionAsker, asked: Elicitation, signal: AbortSignal): Promise<Elicited> {
  // The request does not say which call made the server ask.
  const question = { ...asked, source: 'mcp', toolUseId: null, agent: null, items: [] } as const
  const reply = await people.ask(question, signal)
  if (reply.type === 'declined') return { action: signal.aborted ? 'cancel' : 'decline' }
  if (asked.url !== null) return { action: 'accept' }
  const content = Content.safeParse(reply.answers)
  return content.success ? { action: 'accept', content: content.data } : { action: 'cancel' }
}
