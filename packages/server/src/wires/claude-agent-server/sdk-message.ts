import type { EventOfType } from '@quarterdeck/protocol'
import type { SdkUsage } from './sdk-usage.ts'

export interface SdkMessage {
  readonly type: 'system' | 'assistant' | 'user' | 'result' | 'stream_event'
  readonly uuid: string
  readonly session_id: string
  readonly [field: string]: unknown
}

/** The state of the session that messages need. */
export interface Speaker {
  readonly model: () => string
  readonly usage: SdkUsage
}

export type BlockEvent = EventOfType<'AgentThought' | 'SubagentThought' | 'AgentThinking' | 'AgentInvokedTool'>

/** A message that has not stopped yet. Its usage is the value so far: the sums are in the result. */
export const messageInProgress = (id: string, content: readonly object[], { model, usage }: Speaker) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: model(),
  content,
  stop_reason: null,
  stop_sequence: null,
  usage: usage.ofMessage(id),
})

/** A finished block of a message in the form of the Messages API. */
export function contentBlock(event: BlockEvent): Readonly<Record<string, unknown>> {
  switch (event.type) {
    case 'AgentThinking':
      // The signature stays with the provider and the process.
      return { type: 'thinking', thinking: event.data.text, signature: '' }
    case 'AgentInvokedTool':
      return { type: 'tool_use', id: event.data.toolUseId, name: event.data.toolName, input: event.data.toolInput }
    default:
      return { type: 'text', text: event.data.text }
  }
}
