// A session as files a person keeps: every event as a line of JSON, or the conversation to read.
import type { Client } from '@quarterdeck/client'
import type { History, SessionId, SessionState } from '@quarterdeck/protocol'

const pageSize = 1000

/** One line for each event, in the order of the log. */
export async function logLines(
  client: Client,
  sessionId: SessionId,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly string[]> {
  const lines: string[] = []
  for (let after = 0; ; ) {
    const { events, hasMore } = await client.readEvents(sessionId, { after: String(after), limit: pageSize }, options)
    for (const event of events) lines.push(`${JSON.stringify(event)}\n`)
    after = events.at(-1)?.seq ?? after
    if (!hasMore || events.length === 0) return lines
  }
}

export function conversationMarkdown(session: SessionState, { messages, isPartial }: History): string {
  const head = [
    `# ${oneLine(session.title || session.agentName)}`,
    `Agent ${session.agentName}, model ${session.model}, session ${session.sessionId}.`,
    ...(isPartial ? ['The session this one was forked from is deleted: the conversation before that is missing.'] : []),
  ]
  const turns = messages.map(({ role, content, at }) => {
    const who = role === 'user' ? 'Person' : session.agentName
    return `## ${who}, ${at}\n\n${content.trim()}`
  })
  return `${[...head, ...turns].join('\n\n')}\n`
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
