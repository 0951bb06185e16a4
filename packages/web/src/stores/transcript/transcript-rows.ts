// The transcript of one agent as rows. Consecutive reads are grouped, and each turn ends with its changes.
import {
  type AgentPath,
  type ApprovalItem,
  agentKey,
  type ClientCallItem,
  type NoticeItem,
  type QuestionEntry,
  type TextItem,
  type ToolItem,
  type TranscriptItem,
  type TurnItem,
  type UserItem,
} from '@quarterdeck/protocol'
import { changedFiles, type FileChange } from './file-change.ts'
import { toolKind } from './tool-call.ts'

export type TranscriptRow =
  | { readonly type: 'user'; readonly key: string; readonly item: UserItem }
  | { readonly type: 'text'; readonly key: string; readonly item: TextItem }
  | { readonly type: 'thinking'; readonly key: string; readonly item: TextItem; readonly seconds: number | null }
  | {
      readonly type: 'tool'
      readonly key: string
      readonly item: ToolItem
      /** The approval that allowed the call unchanged. It has no row of its own. */
      readonly approval: ApprovalItem | null
    }
  | { readonly type: 'tool-group'; readonly key: string; readonly items: readonly ToolItem[] }
  | { readonly type: 'subagent'; readonly key: string; readonly item: ToolItem; readonly agentKey: string }
  | { readonly type: 'approval'; readonly key: string; readonly item: ApprovalItem }
  | { readonly type: 'question'; readonly key: string; readonly item: QuestionEntry }
  | { readonly type: 'client-call'; readonly key: string; readonly item: ClientCallItem }
  | { readonly type: 'notice'; readonly key: string; readonly item: NoticeItem }
  | { readonly type: 'turn'; readonly key: string; readonly item: TurnItem; readonly outcome: TurnOutcomeFacts }

/** The results of a turn, including its subagents. */
export interface TurnOutcomeFacts {
  readonly files: readonly FileChange[]
  /** The last command that succeeded, usually a passing test. */
  readonly lastCommand: ToolItem | null
}

/** Whether it is an ask that can still be answered. */
export function isWaiting(row: TranscriptRow): boolean {
  switch (row.type) {
    case 'approval':
      return row.item.decision === null && !row.item.isExpired
    case 'question':
      return row.item.answer === null && !row.item.isExpired
    case 'client-call':
      return row.item.result === null && !row.item.isExpired
    default:
      return false
  }
}

/**
 * Rows of one agent (`''` is the lead). Asks of any agent are shown in the lead's rows, because they block the session.
 */
export function transcriptRows(items: readonly TranscriptItem[], shownAgent = ''): readonly TranscriptRow[] {
  const rows: TranscriptRow[] = []
  const shownElsewhere = callsShownElsewhere(items)
  const approvals = approvalsOfCalls(items)
  let turn: ToolItem[] = []
  let lastAt: string | null = null
  for (const item of items) {
    if (item.type === 'tool') turn.push(item)
    if (item.type === 'turn') {
      if (shownAgent === '') rows.push({ type: 'turn', key: item.key, item, outcome: outcomeOf(turn) })
      turn = []
    } else if (item.type === 'approval' && approvals.has(item.request.toolUseId)) {
      // The row of its call shows the decision.
    } else if (isShown(item, shownAgent) && !shownElsewhere.has(item.key)) {
      if (item.type === 'tool') {
        addTool(rows, item, approvals.get(item.toolUseId) ?? null)
      } else {
        const row = rowOf(item, secondsBetween(lastAt, item.at))
        if (row !== null) rows.push(row)
      }
    }
    if (agentKey(item.agent) === shownAgent) lastAt = item.at
  }
  return rows
}

function isShown(item: TranscriptItem, shownAgent: string): boolean {
  if (item.type === 'user') return item.isDelivered && shownAgent === ''
  if (isAsk(item) && shownAgent === '') return true
  return agentKey(item.agent) === shownAgent
}

const isAsk = ({ type }: TranscriptItem): boolean =>
  type === 'approval' || type === 'question' || type === 'client-call'

/** Calls that another row already shows. The key of a call is its tool-use id. */
const callsShownElsewhere = (items: readonly TranscriptItem[]): ReadonlySet<string> =>
  new Set([...callsThatNeverRan(items), ...items.flatMap(callOfAsk)])

/** Questions and client calls have their own rows, from the call to the answer. */
function callOfAsk(item: TranscriptItem): readonly string[] {
  if (item.type === 'question') return item.question.toolUseId === null ? [] : [item.question.toolUseId]
  return item.type === 'client-call' ? [item.call.toolUseId] : []
}

/**
 * A call has not run if it waits for a decision, or if its process was gone when it was decided. Its approval has a
 * row, and the call that is issued again has its own.
 */
function callsThatNeverRan(items: readonly TranscriptItem[]): ReadonlySet<string> {
  const settled = new Set(items.filter((item) => item.type === 'tool' && item.output !== null).map((item) => item.key))
  const asked = items.flatMap((item) => (item.type === 'approval' && item.decision?.wasLive !== true ? [item] : []))
  return new Set(asked.map((item) => item.request.toolUseId).filter((key) => !settled.has(key)))
}

/**
 * By tool-use id: approvals shown in the row of their call. Approvals with an edit or a note keep their own row. So do
 * approvals of subagents, whose calls are not among the rows of the lead.
 */
function approvalsOfCalls(items: readonly TranscriptItem[]): ReadonlyMap<string, ApprovalItem> {
  const calls = new Set(items.filter((item) => item.type === 'tool' && item.agent === null).map(({ key }) => key))
  return new Map(
    items.flatMap((item) => {
      if (item.type !== 'approval' || item.decision === null || !calls.has(item.request.toolUseId)) return []
      const { decision, edited, note, wasLive } = item.decision
      const isPlain = decision !== 'deny' && !edited && note === null && wasLive
      return isPlain ? [[item.request.toolUseId, item]] : []
    }),
  )
}

type PlainItem = Exclude<TranscriptItem, TurnItem | ToolItem>

/** `null` for an empty text. */
function rowOf(item: PlainItem, seconds: number | null): TranscriptRow | null {
  const { key } = item
  switch (item.type) {
    case 'thinking':
      return { type: 'thinking', key, item, seconds: item.isStreaming ? null : seconds }
    case 'text':
      return item.text.trim() === '' ? null : { type: 'text', key, item }
    case 'user':
      return { type: 'user', key, item }
    case 'approval':
      return { type: 'approval', key, item }
    case 'question':
      return { type: 'question', key, item }
    case 'client-call':
      return { type: 'client-call', key, item }
    case 'notice':
      return { type: 'notice', key, item }
  }
}

function addTool(rows: TranscriptRow[], item: ToolItem, approval: ApprovalItem | null): void {
  const kind = toolKind(item.toolName)
  if (kind === 'agent') {
    const path: AgentPath = [...(item.agent ?? []), item.toolUseId]
    rows.push({ type: 'subagent', key: item.key, item, agentKey: agentKey(path) })
    return
  }
  const last = rows.at(-1)
  const earlier =
    last?.type === 'tool' && last.approval === null ? [last.item] : last?.type === 'tool-group' ? last.items : []
  if (approval === null && earlier.length > 0 && [...earlier, item].every(isFinishedRead)) {
    rows[rows.length - 1] = { type: 'tool-group', key: earlier[0]?.key ?? item.key, items: [...earlier, item] }
  } else {
    rows.push({ type: 'tool', key: item.key, item, approval })
  }
}

/** Reads and searches change nothing, so finished ones may share a row. */
const isFinishedRead = (item: ToolItem): boolean =>
  item.status === 'done' && ['read', 'search'].includes(toolKind(item.toolName))

function outcomeOf(calls: readonly ToolItem[]): TurnOutcomeFacts {
  const lastCommand = calls.findLast((call) => toolKind(call.toolName) === 'command' && call.status === 'done') ?? null
  return { files: changedFiles(calls), lastCommand }
}

function secondsBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000)
  return seconds >= 1 ? seconds : null
}
