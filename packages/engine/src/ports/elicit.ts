// Questions of MCP servers (elicitation) go to people the same way on every backend.
import type { JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { QuestionAsker } from './question-asker.ts'

export interface Elicitation {
  readonly server: string
  readonly message: string
  /** The schema of a form; `null` for a link. */
  readonly schema: JsonObject | null
  readonly url: string | null
}

/** The values that a form can hold. Servers accept nothing else. */
const Content = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

export type ElicitationResult =
  | { readonly action: 'accept'; readonly content?: z.infer<typeof Content> }
  | { readonly action: 'decline' | 'cancel' }

export async function elicit(
  people: QuestionAsker,
  asked: Elicitation,
  signal: AbortSignal,
): Promise<ElicitationResult> {
  // The request does not say which call made the server ask.
  const question = { ...asked, source: 'mcp', toolUseId: null, agent: null, items: [] } as const
  const reply = await people.ask(question, signal)
  if (reply.type === 'declined') return { action: signal.aborted ? 'cancel' : 'decline' }
  if (asked.url !== null) return { action: 'accept' }
  const content = Content.safeParse(reply.answers)
  return content.success ? { action: 'accept', content: content.data } : { action: 'cancel' }
}
