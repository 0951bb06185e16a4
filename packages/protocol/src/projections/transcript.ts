// What a person reads: messages, tool calls with their results, approvals and notices, in the order of the log.
import type { AgentPath } from '../events/envelope.ts'
import type { EphemeralEvent, EventOfType, SessionEvent, StreamedEvent } from '../events/session-event.ts'
import { isDurable } from '../events/session-event.ts'
import type { ApprovalId, ClientCallId, QuestionId } from '../values/ids.ts'
import type { InputImage } from '../values/input-image.ts'
import type { JsonObject } from '../values/json.ts'
import { editList, type LongList } from './long-list.ts'
import { type Notice, noticeOf } from './notice.ts'

interface Placed {
  readonly key: string
  /** `null` only while text streams: it has no number until it is a message. */
  readonly seq: number | null
  readonly at: string | null
  readonly agent: AgentPath
}

export interface UserItem extends Placed {
  readonly type: 'user'
  readonly content: string
  readonly by: string
  readonly origin: 'user' | 'engine'
  readonly isDelivered: boolean
  readonly images: readonly InputImage[]
}

export interface TextItem extends Placed {
  readonly type: 'text' | 'thinking'
  readonly text: string
  readonly isStreaming: boolean
  /** Why this text never became a message. */
  readonly discarded: string | null
}

export interface ToolItem extends Placed {
  readonly type: 'tool'
  readonly toolUseId: string
  readonly toolName: string
  readonly toolInput: JsonObject
  readonly output: string | null
  readonly status: 'running' | 'done' | 'failed' | 'unknown'
  readonly durationMs: number | null
}

export interface ApprovalItem extends Placed {
  readonly type: 'approval'
  readonly request: EventOfType<'ApprovalRequested'>['data']
  readonly decision: EventOfType<'ApprovalDecided'>['data'] | null
  readonly isExpired: boolean
  /** When it was decided or expired. */
  readonly settledAt: string | null
}

export interface QuestionEntry extends Placed {
  readonly type: 'question'
  readonly question: EventOfType<'QuestionAsked'>['data']
  readonly answer: EventOfType<'QuestionAnswered'>['data'] | null
  readonly isExpired: boolean
  readonly settledAt: string | null
}

export interface ClientCallItem extends Placed {
  readonly type: 'client-call'
  readonly call: EventOfType<'ClientToolCalled'>['data']
  readonly result: EventOfType<'ClientToolReturned'>['data'] | null
  readonly isExpired: boolean
}

export interface NoticeItem extends Placed, Notice {
  readonly type: 'notice'
}

export interface TurnItem extends Placed {
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

/** An event costs the same however long the story is and however it is cut into batches. Older versions stay as they were. */
export function foldTranscript(transcript: Transcript, events: readonly StreamedEvent[]): Transcript {
  if (events.length === 0) return transcript
  const page = openPage(transcript)
  for (const event of events) {
    if (isDurable(event)) applyDurable(page, event)
    else applyEphemeral(page, event)
  }
  return page.close()
}

interface Page {
  put(item: TranscriptItem): void
  remove(key: string): void
  get(key: string): TranscriptItem | undefined
  /** Calls that still run when their turn is over: what became of them is not known. */
  loseOpenTools(): void
  close(): Transcript
}

/** What a version hands on to the next one, so that nothing is copied for it. */
interface Estate {
  readonly list: LongList<TranscriptItem>
  /** Where each key stands, so that a result finds its call without a search. */
  readonly indexByKey: Map<string, number>
  /** Keys of the calls without a result, so that the end of a turn does not go through the whole log. */
  readonly openTools: Set<string>
}

/** Each can be taken once. A version that is folded a second time, or came from elsewhere, is read from its items. */
const estates = new WeakMap<Transcript, Estate>()

function openPage(transcript: Transcript): Page {
  const estate = estates.get(transcript)
  estates.delete(transcript)
  const list = editList(estate?.list ?? [])
  const indexByKey = estate?.indexByKey ?? new Map<string, number>()
  const openTools = estate?.openTools ?? new Set<string>()
  if (estate === undefined) for (const item of transcript.items) put(item)

  function put(item: TranscriptItem): void {
    const place = indexByKey.get(item.key)
    if (place === undefined) indexByKey.set(item.key, list.push(item))
    else list.set(place, item)
    if (item.type === 'tool' && item.status === 'running') openTools.add(item.key)
    else openTools.delete(item.key)
  }

  const get = (key: string) => {
    const place = indexByKey.get(key)
    return place === undefined ? undefined : list.at(place)
  }

  return {
    put,
    get,
    remove(key) {
      const place = indexByKey.get(key)
      if (place === undefined) return
      list.removeAt(place)
      indexByKey.delete(key)
      openTools.delete(key)
      // What is removed stands near the end (text that streamed, a message that waited): few places move.
      for (let moved = place; moved < list.length(); moved += 1) indexByKey.set(list.at(moved)?.key ?? '', moved)
    },
    loseOpenTools() {
      for (const key of [...openTools]) {
        const item = get(key)
        if (item?.type === 'tool') put({ ...item, status: 'unknown' })
      }
    },
    close() {
      const next = transcriptOf(list.close())
      estates.set(next, { list: list.close(), indexByKey, openTools })
      return next
    },
  }
}

/** Put together when somebody looks: most versions of a long story are never looked at. */
function transcriptOf(list: LongList<TranscriptItem>): Transcript {
  let items: readonly TranscriptItem[] | undefined
  return {
    get items() {
      items ??= list.flat()
      return items
    },
  }
}

const itemHead = (event: SessionEvent, key: string): Placed => ({
  key,
  seq: event.seq,
  at: event.at,
  agent: event.agent,
})
const streamKey = (messageId: string, kind: string) => `stream:${kind}:${messageId}`

function applyEphemeral(page: Page, event: EphemeralEvent): void {
  if (event.type === 'QueuePlaceChanged') return // a matter of the moment, not of the story
  const { messageId, kind, text } = event.data
  const key = streamKey(messageId, kind)
  const open = page.get(key)
  const before = event.type === 'AgentStreamToken' && open?.type === kind ? open.text : ''
  const place = { key, seq: null, at: null, agent: event.agent }
  page.put({ ...place, type: kind, text: before + text, isStreaming: true, discarded: null })
}

function applyDurable(page: Page, event: SessionEvent): void {
  const notice = noticeOf(event)
  if (notice !== null) page.put({ ...itemHead(event, event.id), type: 'notice', ...notice })
  switch (event.type) {
    case 'UserMessageQueued': {
      const { messageId, content, by, origin, images = [] } = event.data
      return page.put({ ...itemHead(event, messageId), type: 'user', content, by, origin, images, isDelivered: false })
    }
    case 'UserMessageDelivered':
      return deliver(page, event)
    case 'UserMessageReturned': {
      const item = page.get(event.data.messageId)
      return item?.type === 'user' ? page.put({ ...item, isDelivered: false }) : undefined
    }
    case 'UserMessageEdited': {
      const { messageId, content } = event.data
      const item = page.get(messageId)
      return item?.type === 'user' ? page.put({ ...item, content }) : undefined
    }
    case 'UserMessageCancelled':
      return page.remove(event.data.messageId)
    case 'AgentThought':
    case 'SubagentThought':
    case 'AgentThinking':
      return settleText(page, event)
    case 'AgentStreamDiscarded':
      return discardText(page, event)
    case 'AgentInvokedTool': {
      const { toolUseId, toolName, toolInput } = event.data
      const call = { toolUseId, toolName, toolInput, output: null, durationMs: null }
      return page.put({ ...itemHead(event, toolUseId), type: 'tool', ...call, status: 'running' })
    }
    case 'ToolExecuted':
      return settleTool(page, event)
    case 'AgentSessionRecovered':
      return page.loseOpenTools()
    case 'ApprovalRequested': {
      const place = itemHead(event, event.data.approvalId)
      const open = { decision: null, isExpired: false, settledAt: null }
      return page.put({ ...place, type: 'approval', request: event.data, ...open })
    }
    case 'ApprovalDecided':
      return changeApproval(page, event.data.approvalId, { decision: event.data, settledAt: event.at })
    case 'ApprovalExpired':
      return changeApproval(page, event.data.approvalId, { isExpired: true, settledAt: event.at })
    case 'QuestionAsked': {
      const open = { question: event.data, answer: null, isExpired: false, settledAt: null }
      return page.put({ ...itemHead(event, event.data.questionId), type: 'question', ...open })
    }
    case 'QuestionAnswered':
      return changeQuestion(page, event.data.questionId, { answer: event.data, settledAt: event.at })
    case 'QuestionExpired':
      return changeQuestion(page, event.data.questionId, { isExpired: true, settledAt: event.at })
    case 'ClientToolCalled': {
      const place = itemHead(event, event.data.callId)
      return page.put({ ...place, type: 'client-call', call: event.data, result: null, isExpired: false })
    }
    case 'ClientToolReturned':
      return changeClientCall(page, event.data.callId, { result: event.data })
    case 'ClientToolExpired':
      return changeClientCall(page, event.data.callId, { isExpired: true })
    case 'TurnEnded':
      return endTurn(page, event)
  }
}

function deliver(page: Page, event: EventOfType<'UserMessageDelivered'>): void {
  const item = page.get(event.data.messageId)
  if (item?.type !== 'user') return
  // A queued message takes its place in the story where the agent received it.
  page.remove(item.key)
  page.put({ ...item, ...itemHead(event, item.key), isDelivered: true })
}

function settleText(page: Page, event: EventOfType<'AgentThought' | 'SubagentThought' | 'AgentThinking'>): void {
  const type = event.type === 'AgentThinking' ? 'thinking' : 'text'
  page.remove(streamKey(event.data.messageId, type))
  page.put({ ...itemHead(event, event.id), type, text: event.data.text, isStreaming: false, discarded: null })
}

function discardText(page: Page, event: EventOfType<'AgentStreamDiscarded'>): void {
  const { messageId, text, reason } = event.data
  page.remove(streamKey(messageId, 'text'))
  page.remove(streamKey(messageId, 'thinking'))
  page.put({ ...itemHead(event, event.id), type: 'text', text, isStreaming: false, discarded: reason })
}

function settleTool(page: Page, event: EventOfType<'ToolExecuted'>): void {
  const { toolUseId, toolName, output, isError, durationMs, changedInput } = event.data
  const call = page.get(toolUseId)
  const settled = { output, durationMs, status: isError ? ('failed' as const) : ('done' as const) }
  // What ran, which is not what was asked for where it was changed.
  const ran = changedInput === undefined ? {} : { toolInput: changedInput }
  if (call?.type === 'tool') return page.put({ ...call, ...settled, ...ran })
  page.put({ ...itemHead(event, toolUseId), type: 'tool', toolUseId, toolName, toolInput: {}, ...settled, ...ran })
}

function changeApproval(page: Page, approvalId: ApprovalId, change: Partial<ApprovalItem>): void {
  const item = page.get(approvalId)
  if (item?.type === 'approval') page.put({ ...item, ...change })
}

function changeQuestion(page: Page, questionId: QuestionId, change: Partial<QuestionEntry>): void {
  const item = page.get(questionId)
  if (item?.type === 'question') page.put({ ...item, ...change })
}

function changeClientCall(page: Page, callId: ClientCallId, change: Partial<ClientCallItem>): void {
  const item = page.get(callId)
  if (item?.type === 'client-call') page.put({ ...item, ...change })
}

function endTurn(page: Page, event: EventOfType<'TurnEnded'>): void {
  page.loseOpenTools()
  page.put({ ...itemHead(event, event.id), type: 'turn', ended: event.data })
}
