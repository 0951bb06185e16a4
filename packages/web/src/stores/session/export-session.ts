// A session as files: every event as one line of JSON, or the conversation as Markdown.
import { allEvents, type Client } from '@quarterdeck/client'
import type { History, SessionId, SessionState } from '@quarterdeck/protocol'

/** One line per event, in the order of the log. */
export async function logLines(
  client: Client,
  sessionId: SessionId,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  const events = allEvents((query) => client.readEvents(sessionId, query, options))
  for await (const event of events) lines.push(`${JSON.stringify(event)}\n`)
  return lines
}

export function conversationMarkdown(session: SessionState, { messages, isPartial }: History): string {
  const head = [
    `# ${oneLine(session.title || session.agentName)}`,
    `Agent ${session.agentName}, model ${session.model}, session ${session.sessionId}.`,
    ...(isPartial
      ? ['The session this one was forked from has been deleted: the conversation before that is missing.']
      : []),
  ]
  const turns = messages.map(({ role, content, at }) => {
    const who = role === 'user' ? 'User' : session.agentName
    return `## ${who}, ${at}\n\n${content.trim()}`
  })
  return `${[...head, ...turns].join('\n\n')}\n`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
