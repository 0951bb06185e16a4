// What an MCP server wants to know from a person takes the road of every question.
import type { OnElicitation } from '@anthropic-ai/claude-agent-sdk'
import { z } from 'zod'
import type { PersonAsker } from '../backend.ts'

/** What a form can hold; anything else the server would not take. */
const Content = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

export function createElicitation(people: PersonAsker): OnElicitation {
  return async ({ serverName, message, requestedSchema, url }, { signal }) => {
    const reply = await people.ask(
      {
        source: 'mcp',
        server: serverName,
        // The request does not say which call made the server ask.
        toolUseId: null,
        agent: null,
        message,
        items: [],
        schema: requestedSchema ?? null,
        url: url ?? null,
      },
      signal,
    )
    if (reply.type === 'declined') return { action: signal.aborted ? 'cancel' : 'decline' }
    if (url !== undefined) return { action: 'accept' }
    const content = Content.safeParse(reply.answers)
    return content.success ? { action: 'accept', content: content.data } : { action: 'cancel' }
  }
}
