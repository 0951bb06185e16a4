// The transcript that people read: messages, tool calls with their results, approvals and notices, in the order of the
// log.
import type { AgentPath } from '../events/envelope.ts'
import type { EphemeralEvent, EventOfType, SessionEvent, StreamedEvent } from '../events/session-event.ts'
import { isDurable } from '../events/session-event.ts'
import type { ApprovalId, ClientCallId, QuestionId } from '../values/ids.ts'
import type { InputImage } from '../values/input-image.ts'
import type { JsonObject } from '../values/json.ts'
import { editList, type LongList } from './long-list.ts'
import { type Notice, noticeOf } from './notice.ts'

interface ItemHead {
  readonly key: string
  /** `null` only while text streams: it has no number until it is a message. */
  readonly seq: number | null
  readonly at: string | null
  readonly agent: AgentPath
}

export interface UserItem extends ItemHead {
  readonly type: 'user'
  readonly content: string
  readonly by: string
  readonly origin: 'user' | 'engine'
  readonly isDelivered: boolean
  readonly images: readonly InputImage[]
}

export interface TextItem extends ItemHead {
  readonly type: 'text' | 'thinking'
  readonly text: string
  readonly isStreaming: boolean
  /** Why this text never became a message. */
  readonly discarded: string | null
}

export interface ToolItem extends ItemHead {
  readonly type: 'tool'
  readonly toolUseId: string
  readonly toolName: string
  readonly toolInput: JsonObject
  readonly output: string | null
  readonly status: 'running' | 'done' | 'failed' | 'unknown'
  readonly durationMs: number | null
}

export interface ApprovalItem extends ItemHead {
  readonly type: 'approval'
  readonly request: EventOfType<'ApprovalRequested'>['data']
  readonly decision: EventOfType<'ApprovalDecided'>['data'] | null
  readonly isExpired: boolean
  /** When it was decided or expired. */
  readonly settledAt: string | null
}

export interface QuestionEntry extends ItemHead {
  readonly type: 'question'
  readonly question: EventOfType<'QuestionAsked'>['data']
  readonly answer: EventOfType<'QuestionAnswered'>['data'] | null
  readonly isExpired: boolean
  readonly settledAt: string | null
}

export interface ClientCallItem extends ItemHead {
  readonly type: 'client-call'
  readonly call: EventOfType<'ClientToolCalled'>['data']
  readonly result: EventOfType<'ClientToolReturned'>['data'] | null
  readonly isExpired: boolean
}

export interface NoticeItem extends ItemHead, Notice {
  readonly type: 'notice'
}

export interface TurnItem extends ItemHead {
  readonly type: 'turn'
  readonly ended: EventOfType<'TurnEnded'>['data']
}

export type TranscriptItem =
  | UserItem
  | TextItem
  | ToolItem
  | ApprovalItem
  | QuestionEntry
  | ClientCallItem
  | NoticeItem
  | TurnItem

export interface Transcript {
  readonly items: readonly TranscriptItem[]
}

export const emptyTranscript: Transcript = { items: [] }

/**
 * The cost of an event does not depend on the length of the transcript or the size of batches. Older versions do not
 * change.
 */
export function foldTranscript(transcript: Transcript, events: readonly StreamedEvent[]): Transcript {
  if (events.length === 0) return transcript
  const edit = editTranscript(transcript)
  for (const event of events) {
    if (isDurable(event)) applyDurable(edit, event)
    else applyEphemeral(edit, event)
  }
  return edit.close()
}

type TranscriptEdit = ReturnType<typeof editTranscript>

/** State that a version passes to the next one, so that nothing is copied. */
interface FoldState {
  readonly list: LongList<TranscriptItem>
  /** The index of each key, so that a result finds its call without a search. */
  readonly indexByKey: Map<string, number>
  /** Keys of the calls without a result, so that the end of a turn does not go through the whole log. */
  readonly openTools: Set<string>
}

/**
 * Each state can be taken once. For a version that is folded a second time, or came from elsewhere, it is rebuilt from
 * the items.
 */
const foldStates = new WeakMap<Transcript, FoldState>()

function editTranscript(transcript: Transcript) {
  const state = foldStates.get(transcript)
  foldStates.delete(transcript)
  const list = editList<TranscriptItem>(state?.list ?? [])
  const indexByKey = state?.indexByKey ?? new Map<string, number>()
  const openTools = state?.openTools ?? new Set<string>()
  if (state === undefined) for (const item of transcript.items) put(item)

  function put(item: TranscriptItem): void {
    const index = indexByKey.get(item.key)
    if (index === undefined) indexByKey.set(item.key, list.push(item))
    else list.set(index, item)
    if (item.type === 'tool' && item.status === 'running') openTools.add(item.key)
    else openTools.delete(item.key)
  }

  const get = (key: string) => {
    const index = indexByKey.get(key)
    return index === undefined ? undefined : list.at(index)
  }

  return {
    put,
    get,
    /** Whether the turn of this message showed text and is over. */
    wasAnswered(key: string): boolean {
      let hasText = false
      for (let index = (indexByKey.get(key) ?? list.length()) + 1; index < list.length(); index += 1) {
        const type = list.at(index)?.type
        if (type === 'turn') return hasText
        if (type === 'text') hasText = true
      }
      return false
    },
    remove(key: string) {
      const index = indexByKey.get(key)
      if (index === undefined) return
      list.removeAt(index)
      indexByKey.delete(key)
      openTools.delete(key)
      // Removed items are near the end (streamed text, a queued message), so few indexes change.
      for (let moved = index; moved < list.length(); moved += 1) indexByKey.set(list.at(moved)?.key ?? '', moved)
    },
    /** Calls that still run when their turn is over: their outcome is unknown. */
    markOpenToolsUnknown() {
      for (const key of [...openTools]) {
        const item = get(key)
        if (item?.type === 'tool') put({ ...item, status: 'unknown' })
      }
    },
    close(): Transcript {
      const next = transcriptOf(list.close())
      foldStates.set(next, { list: list.close(), indexByKey, openTools })
      return next
    },
  }
}

/** Built on first access: most versions of a long transcript are never read. */
function transcriptOf(list: LongList<TranscriptItem>): Transcript {
  let items: readonly TranscriptItem[] | undefined
  return {
    get items() {
      items ??= list.flat()
      return items
    },
  }
}

const itemHead = ({ seq, at, agent }: SessionEvent, key: string): ItemHead => ({ key, seq, at, agent })
const streamKey = (messageId: string, kind: string) => `stream:${kind}:${messageId}`

function applyEphemeral(edit: TranscriptEdit, event: EphemeralEvent): void {
  if (event.type === 'QueuePlaceChanged') return // temporary, so not part of the transcript
  const { messageId, kind, text } = event.data
  const key = streamKey(messageId, kind)
  const open = edit.get(key)
  const before = event.type === 'AgentStreamToken' && open?.type === kind ? open.text : ''
  const head = { key, seq: null, at: null, agent: event.agent }
  edit.put({ ...head, type: kind, text: before + text, isStreaming: true, discarded: null })
}

function applyDurable(edit: TranscriptEdit, event: SessionEvent): void {
  const notice = noticeOf(event)
  if (notice !== null) edit.put({ ...itemHead(event, event.id), type: 'notice', ...notice })
  switch (event.type) {
    case 'UserMessageQueued': {
      const { messageId, content, by, origin, images = [] } = event.data
      return edit.put({ ...itemHead(event, messageId), type: 'user', content, by, origin, images, isDelivered: false })
    }
    case 'UserMessageDelivered':
      return deliver(edit, event)
    case 'UserMessageReturned': {
      const item = edit.get(event.data.messageId)
      // A message stays before its cut-off answer, even if a resume delivers it again.
      if (item?.type !== 'user' || edit.wasAnswered(item.key)) return
      return edit.put({ ...item, isDelivered: false })
    }
    case 'UserMessageEdited': {
      const { messageId, content } = event.data
      const item = edit.get(messageId)
      return item?.type === 'user' ? edit.put({ ...item, content }) : undefined
    }
    case 'UserMessageCancelled':
      return edit.remove(event.data.messageId)
    case 'AgentThought':
    case 'SubagentThought':
    case 'AgentThinking':
      return settleText(edit, event)
    case 'AgentStreamDiscarded':
      return discardText(edit, event)
    case 'AgentInvokedTool': {
      const { toolUseId, toolName, toolInput } = event.data
      const call = { toolUseId, toolName, toolInput, output: null, durationMs: null }
      return edit.put({ ...itemHead(event, toolUseId), type: 'tool', ...call, status: 'running' })
    }
    case 'ToolExecuted':
      return settleTool(edit, event)
    case 'AgentSessionRecovered':
      return edit.markOpenToolsUnknown()
    case 'ApprovalRequested': {
      const head = itemHead(event, event.data.approvalId)
      const open = { decision: null, isExpired: false, settledAt: null }
      return edit.put({ ...head, type: 'approval', request: event.data, ...open })
    }
    case 'ApprovalDecided':
      return changeApproval(edit, event.data.approvalId, { decision: event.data, settledAt: event.at })
    case 'ApprovalExpired':
      return changeApproval(edit, event.data.approvalId, { isExpired: true, settledAt: event.at })
    case 'QuestionAsked': {
      const open = { question: event.data, answer: null, isExpired: false, settledAt: null }
      return edit.put({ ...itemHead(event, event.data.questionId), type: 'question', ...open })
    }
    case 'QuestionAnswered':
      return changeQuestion(edit, event.data.questionId, { answer: event.data, settledAt: event.at })
    case 'QuestionExpired':
      return changeQuestion(edit, event.data.questionId, { isExpired: true, settledAt: event.at })
    case 'ClientToolCalled': {
      const head = itemHead(event, event.data.callId)
      return edit.put({ ...head, type: 'client-call', call: event.data, result: null, isExpired: false })
    }
    case 'ClientToolReturned':
      return changeClientCall(edit, event.data.callId, { result: event.data })
    case 'ClientToolExpired':
      return changeClientCall(edit, event.data.callId, { isExpired: true })
    case 'TurnEnded':
      return endTurn(edit, event)
  }
}

function deliver(edit: TranscriptEdit, event: EventOfType<'UserMessageDelivered'>): void {
  const item = edit.get(event.data.messageId)
  if (item?.type !== 'user' || item.isDelivered) return
  // A queued message is shown where the agent received it.
  edit.remove(item.key)
  edit.put({ ...item, ...itemHead(event, item.key), isDelivered: true })
}

function settleText(
  edit: TranscriptEdit,
  event: EventOfType<'AgentThought' | 'SubagentThought' | 'AgentThinking'>,
): void {
  const type = event.type === 'AgentThinking' ? 'thinking' : 'text'
  edit.remove(streamKey(event.data.messageId, type))
  edit.put({ ...itemHead(event, event.id), type, text: event.data.text, isStreaming: false, discarded: null })
}

function discardText(edit: TranscriptEdit, event: EventOfType<'AgentStreamDiscarded'>): void {
  const { messageId, text, reason } = event.data
  edit.remove(streamKey(messageId, 'text'))
  edit.remove(streamKey(messageId, 'thinking'))
  edit.put({ ...itemHead(event, event.id), type: 'text', text, isStreaming: false, discarded: reason })
}

function settleTool(edit: TranscriptEdit, event: EventOfType<'ToolExecuted'>): void {
  const { toolUseId, toolName, output, isError, durationMs, changedInput } = event.data
  const call = edit.get(toolUseId)
  const settled = { output, durationMs, status: isError ? ('failed' as const) : ('done' as const) }
  // The input that ran, which differs from the requested one if it was changed.
  const ran = changedInput === undefined ? {} : { toolInput: changedInput }
  if (call?.type === 'tool') return edit.put({ ...call, ...settled, ...ran })
  edit.put({ ...itemHead(event, toolUseId), type: 'tool', toolUseId, toolName, toolInput: {}, ...settled, ...ran })
}

function changeApproval(edit: TranscriptEdit, approvalId: ApprovalId, change: Partial<ApprovalItem>): void {
  const item = edit.get(approvalId)
  if (item?.type === 'approval') edit.put({ ...item, ...change })
}

function changeQuestion(edit: TranscriptEdit, questionId: QuestionId, change: Partial<QuestionEntry>): void {
  const item = edit.get(questionId)
  if (item?.type === 'question') edit.put({ ...item, ...change })
}

function changeClientCall(edit: TranscriptEdit, callId: ClientCallId, change: Partial<ClientCallItem>): void {
  const item = edit.get(callId)
  if (item?.type === 'client-call') edit.put({ ...item, ...change })
}

function endTurn(edit: TranscriptEdit, event: EventOfType<'TurnEnded'>): void {
  edit.markOpenToolsUnknown()
  edit.put({ ...itemHead(event, event.id), type: 'turn', ended: event.data })
}
