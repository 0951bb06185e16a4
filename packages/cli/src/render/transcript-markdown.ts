// A session as a document people read: what was said, what was done, who decided.
import {
  type EventOfType,
  formatSpent,
  modelLabel,
  type SessionState,
  type Transcript,
  type TranscriptItem,
} from '@quarterdeck/protocol'

export function transcriptMarkdown(session: SessionState, { items }: Transcript): string {
  const { title, sessionId, agentName, status, owner, createdAt } = session
  const facts = [
    `- session ${sessionId} of agent ${agentName}, started ${createdAt} by ${owner}`,
    `- ${modelLabel(session)}, ${formatSpent(session)}, ${status}`,
  ]
  const parts = items.flatMap((item) => partOf(item) ?? [])
  return `${[`# ${title || sessionId}`, facts.join('\n'), ...parts].join('\n\n')}\n`
}

function partOf(item: TranscriptItem): string | null {
  const depth = item.agent === null ? '' : ' (subagent)'
  switch (item.type) {
    case 'user':
      return `## ${item.origin === 'engine' ? 'Quarterdeck' : item.by}\n\n${item.content}`
    case 'text':
      return item.discarded === null ? `## Agent${depth}\n\n${item.text}` : `> ${item.discarded}: ${item.text}`
    case 'thinking':
      return null
    case 'tool':
      return `**${item.toolName}**${depth} (${item.status})\n\n${fenced(JSON.stringify(item.toolInput, null, 2))}${
        item.output === null ? '' : `\n\n${fenced(item.output)}`
      }`
    case 'approval': {
      const { decision } = item
      const how = decision === null ? (item.isExpired ? 'expired' : 'open') : `${decision.decision} by ${decision.by}`
      return `> Approval of ${item.request.toolName}: ${how}${item.settledAt === null ? '' : ` at ${item.settledAt}`}`
    }
    case 'question': {
      const { answer } = item
      const how = answer === null ? (item.isExpired ? 'expired' : 'open') : answerOf(answer)
      const asked = item.question.items.map(({ question }) => question).join(' / ') || item.question.message
      return `> Question: ${asked} — ${how}`.replaceAll('\n', '\n> ')
    }
    case 'client-call':
      return `> ${item.call.toolName} was run by a client: ${item.result?.output ?? (item.isExpired ? 'expired' : 'open')}`
    case 'notice':
      return `> ${item.text}`
    case 'turn':
      return null
  }
}

function answerOf({ answers, note, by }: EventOfType<'QuestionAnswered'>['data']): string {
  const words = answers === null ? `declined by ${by}` : `by ${by} ${JSON.stringify(answers)}`
  return note === null ? words : `${words}: ${note}`
}

/** A fence longer than any in the text, so that nothing inside ends it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
