// A session as a readable document: messages, tool calls and decisions.
import {
  type ApprovalItem,
  cutOffText,
  type EventOfType,
  formatSpent,
  modelLabel,
  type SessionEvent,
  type SessionState,
  type ToolItem,
  type Transcript,
  type TranscriptItem,
} from '@quarterdeck/protocol'
import { imagesLine } from '../../render/people-lines.ts'

type Rewind = EventOfType<'AgentSessionRewound'>

/** Facts about one item that other items need. */
interface TranscriptContext {
  /** The approval of each call, by the id of the call. */
  readonly approvals: ReadonlyMap<string, ApprovalItem>
  /** The ids of the calls. */
  readonly calls: ReadonlySet<string>
  /** The rewinds to each message, by the id of the message. */
  readonly rewound: ReadonlyMap<string, readonly Rewind[]>
  /** Rewinds by the id of their event. */
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
    calls: new Set(items.flatMap((item) => (item.type === 'tool' ? [item.toolUseId] : []))),
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
        ({ at, data }) =>
          `> Rewound by ${data.by} at ${at}: the agent no longer knows the conversation from here on.\n\n`,
      )
      return `${taken.join('')}## ${item.origin === 'engine' ? 'Quarterdeck' : item.by}\n\n${[item.content, ...imagesLine(item.images.length)].join('\n\n')}`
    }
    case 'text':
      return `## Agent${depth}\n\n${item.text}${item.discarded === null ? '' : `\n\n> ${cutOffText(item.discarded)}`}`
    case 'thinking':
      return null
    case 'tool':
      return toolPart(item, depth, context.approvals.get(item.toolUseId))
    case 'approval': {
      const { toolUseId } = item.request
      // The call shows its approval.
      return context.calls.has(toolUseId) && context.approvals.get(toolUseId) === item ? null : approvalPart(item)
    }
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

/** The input that ran: the edited one if there is one. */
function toolPart(item: ToolItem, depth: string, approval: ApprovalItem | undefined): string {
  const { toolName, toolInput, status, output } = item
  const decision = approval?.decision ?? null
  const asked = approval === undefined ? [] : [approvalPart(approval)]
  if (approval?.isExpired === true && decision === null)
    return [`**${toolName}**${depth} (stopped before it ran)`, fencedJson(toolInput), ...asked].join('\n\n')
  // If no process waited at the decision, another call runs with the edited input.
  const ran = decision?.edited === true && decision.wasLive ? decision : null
  const how = ran === null ? status : `${status}, edited by ${ran.by}`
  const parts = [`**${toolName}**${depth} (${how})`, fencedJson(ran?.toolInput ?? toolInput), ...asked]
  return [...parts, ...(output === null ? [] : [fenced(output)])].join('\n\n')
}

function approvalPart({ request, decision, isExpired, settledAt }: ApprovalItem): string {
  const isEdited = decision?.edited === true
  const { toolName } = request
  const open = isExpired ? `The approval of ${toolName} expired` : `${toolName} waits for approval`
  const what = decision === null ? open : `${toolName} ${verdictOf(decision)}`
  const line = `> ${what}${settledAt === null ? '' : ` at ${settledAt}`}`
  if (!isEdited) return line
  const both = ['Asked for:', fencedJson(request.toolInput), 'Allowed instead:', fencedJson(decision.toolInput)]
  return [line, ...both].join('\n\n')
}

function verdictOf({ decision, by, edited }: EventOfType<'ApprovalDecided'>['data']): string {
  if (decision === 'deny') return `was denied by ${by}`
  const scope = decision === 'allow_session' ? ' for this session' : ''
  return `was allowed by ${by}${scope}${edited ? ' with another input' : ''}`
}

function rewindText({ data }: Rewind, { contents }: TranscriptContext): string {
  const words = (contents.get(data.messageId) ?? '').split('\n', 1)[0] ?? ''
  const message = words === '' ? data.messageId : `"${words}" (${data.messageId})`
  return `${data.by} rewound the conversation to before the message ${message}.`
}

function answerOf({ answers, note, by }: EventOfType<'QuestionAnswered'>['data']): string {
  const words = answers === null ? `declined by ${by}` : `by ${by} ${JSON.stringify(answers)}`
  return note === null ? words : `${words}: ${note}`
}

const fencedJson = (value: unknown): string => fenced(JSON.stringify(value, null, 2))

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
