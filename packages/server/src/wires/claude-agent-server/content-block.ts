import type { EventOfType } from '@quarterdeck/protocol'

export type Block = EventOfType<'AgentThought' | 'SubagentThought' | 'AgentThinking' | 'AgentInvokedTool'>

/** A finished block of a message in the form of the Messages API. */
export function contentBlock(event: Block): Readonly<Record<string, unknown>> {
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
