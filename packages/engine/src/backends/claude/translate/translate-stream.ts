// Translates partial messages into tokens. A message that streams and never arrives complete is discarded with its
// partial text.
import { draft } from '@quarterdeck/protocol'
import type { BackendEvent } from '../../backend.ts'
import { bookUsage } from './book-usage.ts'
import type { ApiUsage, StreamMessage } from './sdk-message.ts'
import { chain, emit, type OpenMessage, pathOf, type Translated, type Translation } from './translation.ts'

export function translateStream(state: Translation, { event, parent_tool_use_id }: StreamMessage): Translated {
  const { open } = state
  switch (event.type) {
    case 'message_start': {
      if (event.message === undefined) return { state, events: [] }
      const { id: messageId, model: servedModel, usage } = event.message
      const agent = pathOf(state, parent_tool_use_id)
      const facts = { agent, askedModel: state.model, servedModel }
      const started: OpenMessage = { messageId, ...facts, blocks: new Map(), usage: usage ?? {} }
      return chain(state, [
        (before) => discardOpen(before, 'the stream broke and the request was sent again'),
        (before) => ({ state: { ...before, open: started }, events: [] }),
      ])
    }
    case 'content_block_start': {
      const kind = event.content_block?.type
      if (open === null || event.index === undefined || (kind !== 'text' && kind !== 'thinking')) break
      const block = { kind, text: '', isConfirmed: false } as const
      return withOpen(state, { ...open, blocks: new Map(open.blocks).set(event.index, block) })
    }
    case 'content_block_delta':
      return open === null ? { state, events: [] } : addDelta(state, open, event)
    case 'message_delta':
      if (open !== null) return withOpen(state, { ...open, usage: mergeUsage(open.usage, event.usage) })
      break
    case 'message_stop':
      if (open !== null) return bookUsage(state, { ...open, usage: open.usage })
      break
  }
  return { state, events: [] }
}

const withOpen = (state: Translation, open: OpenMessage | null): Translated => ({
  state: { ...state, open },
  events: [],
})

function addDelta(state: Translation, open: OpenMessage, { index, delta }: StreamMessage['event']): Translated {
  const text = delta?.text ?? delta?.thinking
  const block = index === undefined ? undefined : open.blocks.get(index)
  if (index === undefined || text === undefined || text === '' || block === undefined) return { state, events: [] }
  const { agent, messageId } = open
  const token: BackendEvent = { type: 'AgentStreamToken', agent, data: { text, messageId, kind: block.kind } }
  const blocks = new Map(open.blocks).set(index, { ...block, text: block.text + text })
  return { state: { ...state, open: { ...open, blocks } }, events: [token] }
}

function mergeUsage(usage: ApiUsage, later: ApiUsage | null | undefined): ApiUsage {
  const known = Object.entries(later ?? {}).filter(([, value]) => typeof value === 'number')
  return { ...usage, ...Object.fromEntries(known) }
}

/** The complete message of a streamed block has arrived. */
export function confirmBlock(state: Translation, messageId: string, kind: 'text' | 'thinking'): Translation {
  const { open } = state
  if (open === null || open.messageId !== messageId) return state
  const found = [...open.blocks].find(([, block]) => block.kind === kind && !block.isConfirmed)
  if (found === undefined) return state
  const [index, block] = found
  return { ...state, open: { ...open, blocks: new Map(open.blocks).set(index, { ...block, isConfirmed: true }) } }
}

/** Closes the open message. Unconfirmed text is recorded as discarded, because clients have already received it. */
export function discardOpen(state: Translation, reason: string): Translated {
  const { open } = state
  if (open === null) return { state, events: [] }
  const closed = { ...state, open: null }
  const lost = [...open.blocks.values()].filter((block) => !block.isConfirmed && block.text !== '')
  if (lost.length === 0) return { state: closed, events: [] }
  const text = lost.map((block) => block.text).join('\n\n')
  return emit(closed, [
    draft('AgentStreamDiscarded', { text, messageId: open.messageId, reason }, { agent: open.agent }),
  ])
}
