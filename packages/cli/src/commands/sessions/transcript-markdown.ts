// A session as a document people read: what was said, what was done, who decided.
import {
  type ApprovalItem,
  type EventOfType,
  formatSpent,
  modelLabel,
  type SessionEvent,
  type SessionState,
  type ToolItem,
  type Transcript,
  type TranscriptItem,
} from '@quarterdeck/protocol'
import { picturesLine } from '../../render/people-lines.ts'

type Rewind = EventOfType<'AgentSessionRewound'>

/** What one part has to know of others. */
interface TranscriptContext {
  /** What was asked about a call, by the call. */
  readonly approvals: ReadonlyMap<string, ApprovalItem>
  /** The messages the conversation was taken back to, each with when. */
  readonly rewound: ReadonlyMap<string, readonly Rewind[]>
  /** What is told as a notice, by its event. */
  readonly rewinds: ReadonlyMap<string, Rewind>
  readonly contents: ReadonlyMap<string, string>
}

export function transcriptMarkdown(
  session: SessionState,
  { items }: Transcript,
  events: readonly SessionEvent[],
): string {
  const { title, sessionId, agentName, status, owner, createdAt } = session
  const facts = [
    `- session ${sessionId} of agent ${agentName}, started ${createdAt} by ${owner}`,
    `- ${modelLabel(session)}, ${formatSpent(session)}, ${status}`,
  ]
  const context = contextOf(items, events)
  const parts = items.flatMap((item) => partOf(item, context) ?? [])
  return `${[`# ${title || sessionId}`, facts.join('\n'), ...parts].join('\n\n')}\n`
}

function contextOf(items: readonly TranscriptItem[], events: readonly SessionEvent[]): TranscriptContext {
  const rewinds = events.filter((event): event is Rewind => event.type === 'AgentSessionRewound')
  const rewound = new Map<string, readonly Rewind[]>()
  for (const one of rewinds) rewound.set(one.data.messageId, [...(rewound.get(one.data.messageId) ?? []), one])
  return {
    approvals: new Map(items.flatMap((item) => (item.type === 'approval' ? [[item.request.toolUseId, item]] : []))),
    rewound,
    rewinds: new Map(rewinds.map((one) => [one.id, one])),
    contents: new Map(items.flatMap((item) => (item.type === 'user' ? [[item.key, item.content]] : []))),
  }
}

function partOf(item: TranscriptItem, context: TranscriptContext): string | null {
  const depth = item.agent === null ? '' : ' (subagent)'
  switch (item.type) {
    case 'user': {
      const taken = (context.rewound.get(item.key) ?? []).map(
        ({ at, data }) => `> From here on taken back by ${data.by} at ${at}: the agent has forgotten it.\n\n`,
      )
      return `${taken.join('')}## ${item.origin === 'engine' ? 'Quarterdeck' : item.by}\n\n${[item.content, ...picturesLine(item.images.length)].join('\n\n')}`
    }
    case 'text':
      return item.discarded === null ? `## Agent${depth}\n\n${item.text}` : `> ${item.discarded}: ${item.text}`
    case 'thinking':
      return null
    case 'tool':
      return toolPart(item, depth, context.approvals.get(item.toolUseId))
    case 'approval':
      return approvalPart(item)
    case 'question': {
      const { answer } = item
      const how = answer === null ? (item.isExpired ? 'expired' : 'open') : answerOf(answer)
      const asked = item.question.items.map(({ question }) => question).join(' / ') || item.question.message
      return `> Question: ${asked} — ${how}`.replaceAll('\n', '\n> ')
    }
    case 'client-call':
      return `> ${item.call.toolName} was run by a client: ${item.result?.output ?? (item.isExpired ? 'expired' : 'open')}`
    case 'notice': {
      const rewind = context.rewinds.get(item.key)
      return `> ${rewind === undefined ? item.text : rewindText(rewind, context)}`
    }
    case 'turn':
      return null
  }
}

/** What ran, which is not what was asked for where somebody edited it. */
function toolPart(item: ToolItem, depth: string, approval: ApprovalItem | undefined): string {
  const { toolName, toolInput, status, output } = item
  const decision = approval?.decision ?? null
  if (approval?.isExpired === true && decision === null)
    return `**${toolName}**${depth} (stopped before it ran)\n\n${fencedJson(toolInput)}`
  // One that was decided when no process waited is run by another call, which has the edited input itself.
  const ran = decision?.edited === true && decision.wasLive ? decision : null
  const how = ran === null ? status : `${status}, edited by ${ran.by}`
  const parts = [`**${toolName}**${depth} (${how})`, fencedJson(ran?.toolInput ?? toolInput)]
  return [...parts, ...(output === null ? [] : [fenced(output)])].join('\n\n')
}

function approvalPart({ request, decision, isExpired, settledAt }: ApprovalItem): string {
  const isEdited = decision?.edited === true
  const verdict = decision === null ? '' : `${decision.decision} by ${decision.by}${isEdited ? ', edited' : ''}`
  const how = decision === null ? (isExpired ? 'expired' : 'open') : verdict
  const line = `> Approval of ${request.toolName}: ${how}${settledAt === null ? '' : ` at ${settledAt}`}`
  if (!isEdited) return line
  const both = ['Asked for:', fencedJson(request.toolInput), 'Allowed instead:', fencedJson(decision.toolInput)]
  return [line, ...both].join('\n\n')
}

function rewindText({ data }: Rewind, { contents }: TranscriptContext): string {
  const words = (contents.get(data.messageId) ?? '').split('\n', 1)[0] ?? ''
  const message = words === '' ? data.messageId : `"${words}" (${data.messageId})`
  return `${data.by} took the conversation back to before the message ${message}.`
}

function answerOf({ answers, note, by }: EventOfType<'QuestionAnswered'>['data']): string {
  const words = answers === null ? `declined by ${by}` : `by ${by} ${JSON.stringify(answers)}`
  return note === null ? words : `${words}: ${note}`
}

const fencedJson = (value: unknown): string => fenced(JSON.stringify(value, null, 2))

/** A fence longer than any in the text, so that nothing inside ends it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
