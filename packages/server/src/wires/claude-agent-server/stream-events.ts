// Partial text as events of a streamed Messages API response, around the complete blocks of the log. The end of a block
// contains the text that a slow reader missed, so that its deltas make up its text. Two kinds of blocks stay as they were
// streamed, because sent text cannot be taken back: one that was replaced by another kind before the log had it, and
// one that differs from the log. The `assistant` message always has the final text.
import { hashUuid } from '@quarterdeck/engine'
import type { EphemeralEvent, SessionEvent } from '@quarterdeck/protocol'
import { type BlockEvent, contentBlock, messageInProgress, type SdkMessage, type Speaker } from './sdk-message.ts'

type Kind = 'text' | 'thinking'

interface OpenBlock {
  readonly kind: Kind
  readonly index: number
  sent: string
}

interface OpenMessage {
  readonly id: string
  blockCount: number
  block: OpenBlock | null
  /** Blocks that were replaced by another kind before the log had them: they have ended, complete or not. */
  readonly unconfirmed: Kind[]
  isCalling: boolean
}

export function createStreamEvents(speaker: Speaker) {
  let sessionId = ''
  let open: OpenMessage | null = null
  let count = 0

  function frame(event: Readonly<Record<string, unknown>>): SdkMessage {
    count += 1
    const uuid = hashUuid(`${sessionId}/${open?.id ?? ''}/stream/${count}`)
    return { type: 'stream_event', event, session_id: sessionId, parent_tool_use_id: null, uuid }
  }

  function openMessage(id: string): [OpenMessage, readonly SdkMessage[]] {
    if (open?.id === id) return [open, []]
    const ended = endMessage()
    const next: OpenMessage = { id, blockCount: 0, block: null, unconfirmed: [], isCalling: false }
    open = next
    const message = messageInProgress(id, [], speaker)
    return [next, [...ended, frame({ type: 'message_start', message })]]
  }

  function startBlock(message: OpenMessage, content_block: Readonly<Record<string, unknown>>): [number, SdkMessage] {
    const index = message.blockCount
    message.blockCount += 1
    return [index, frame({ type: 'content_block_start', index, content_block })]
  }

  function endBlock(message: OpenMessage): readonly SdkMessage[] {
    if (message.block === null) return []
    const { index } = message.block
    message.block = null
    return [frame({ type: 'content_block_stop', index })]
  }

  /** The text of a block so far: sends the part that was not sent yet. */
  function grow(message: OpenMessage, kind: Kind, textSoFar: string): readonly SdkMessage[] {
    const frames: SdkMessage[] = []
    if (message.block !== null && message.block.kind !== kind) {
      message.unconfirmed.push(message.block.kind)
      frames.push(...endBlock(message))
    }
    if (message.block === null) {
      const [index, started] = startBlock(message, emptyBlock(kind))
      message.block = { kind, index, sent: '' }
      frames.push(started)
    }
    const { index, sent } = message.block
    // Text that differs from the sent text cannot follow it.
    const more = textSoFar.startsWith(sent) ? textSoFar.slice(sent.length) : ''
    if (more === '') return frames
    message.block.sent = textSoFar
    return [...frames, frame({ type: 'content_block_delta', index, delta: deltaOf(kind, more) })]
  }

  function endMessage(): readonly SdkMessage[] {
    const message = open
    if (message === null) return []
    const stopped = endBlock(message)
    const delta = { stop_reason: message.isCalling ? 'tool_use' : 'end_turn', stop_sequence: null }
    const ended = frame({ type: 'message_delta', delta, usage: speaker.usage.ofMessage(message.id) })
    const last = frame({ type: 'message_stop' })
    open = null
    return [...stopped, ended, last]
  }

  /** It never becomes a message, so its end is not sent. */
  function breakOff(): readonly SdkMessage[] {
    if (open === null) return []
    const stopped = endBlock(open)
    const last = frame({ type: 'message_stop' })
    open = null
    return [...stopped, last]
  }

  function aroundBlock(event: BlockEvent, messages: readonly SdkMessage[]): readonly SdkMessage[] {
    const [message, opened] = openMessage(event.data.messageId)
    if (event.type === 'AgentInvokedTool') {
      const stopped = endBlock(message)
      const { toolInput } = event.data
      const [index, started] = startBlock(message, { ...contentBlock(event), input: {} })
      message.isCalling = true
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(toolInput) }
      const input = frame({ type: 'content_block_delta', index, delta })
      return [...opened, ...stopped, started, input, ...messages, frame({ type: 'content_block_stop', index })]
    }
    const kind = event.type === 'AgentThinking' ? 'thinking' : 'text'
    const waiting = message.unconfirmed.indexOf(kind)
    if (waiting >= 0) {
      message.unconfirmed.splice(waiting, 1)
      return [...opened, ...messages]
    }
    const grown = grow(message, kind, event.data.text)
    return [...opened, ...grown, ...messages, ...endBlock(message)]
  }

  return {
    /** No client has seen the start of the message in progress. */
    forget() {
      open = null
    },
    ofText(event: EphemeralEvent): readonly SdkMessage[] {
      if (event.type === 'QueuePlaceChanged' || event.agent !== null) return []
      const { text, messageId, kind } = event.data
      const [message, opened] = openMessage(messageId)
      const sent = message.block?.kind === kind ? message.block.sent : ''
      return [...opened, ...grow(message, kind, event.type === 'AgentStreamToken' ? sent + text : text)]
    },
    /** The stream events before and after the messages of an event. */
    around(event: SessionEvent, messages: readonly SdkMessage[]): readonly SdkMessage[] {
      sessionId = event.sessionId
      if (event.agent !== null) return [...endMessage(), ...messages]
      switch (event.type) {
        case 'AgentThought':
        case 'AgentThinking':
        case 'AgentInvokedTool':
          return aroundBlock(event, messages)
        case 'AgentStreamDiscarded':
          return [...breakOff(), ...messages]
        case 'ToolExecuted':
        case 'TurnEnded':
          return [...endMessage(), ...messages]
        case 'UsageRecorded': {
          // A backend with its own bookings books at the end of its message; the gateway may be ahead of the agent.
          const isEnd = event.data.source === 'backend' && event.data.apiMessageId === open?.id && open.block === null
          return isEnd ? endMessage() : messages
        }
        default:
          return messages
      }
    },
  }
}

const emptyBlock = (kind: Kind) =>
  kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }

const deltaOf = (kind: Kind, more: string) =>
  kind === 'text' ? { type: 'text_delta', text: more } : { type: 'thinking_delta', thinking: more }
