// Text and calls of an agent. The CLI sends one message per finished block, several of them with the same API message
// id.
import { draft } from '@quarterdeck/protocol'
import { bookUsage } from './book-usage.ts'
import type { SdkAssistantMessage, SdkContentBlock } from './sdk-message.ts'
import { confirmBlock, discardOpen } from './translate-stream.ts'
import { chain, emit, emitRaw, pathOf, type Translated, type Translation } from './translation.ts'

export function translateAssistant(state: Translation, sent: SdkAssistantMessage, at: number): Translated {
  // Created by the CLI to show an API failure. The result that follows has the same text as its reason.
  if (typeof sent.error === 'string') return discardOpen(state, 'the request failed')
  const agent = pathOf(state, sent.parent_tool_use_id)
  const { id: messageId, model: servedModel, content, usage } = sent.message
  const isStreamed = state.open?.messageId === messageId
  const origin = { messageId, parentToolUseId: sent.parent_tool_use_id, agent, at }
  return chain(state, [
    // A new message of the same agent while one is open: the open one was abandoned and repeated without streaming.
    (before) =>
      isStreamed || agent !== null ? { state: before, events: [] } : discardOpen(before, 'the stream broke'),
    ...content.map((block) => (before: Translation) => translateBlock(before, block, origin)),
    (before) =>
      isStreamed
        ? { state: before, events: [] }
        : bookUsage(before, { messageId, servedModel, agent, askedModel: before.model, usage: usage ?? {} }),
  ])
}

interface BlockOrigin {
  readonly messageId: string
  readonly parentToolUseId: string | null
  readonly agent: readonly string[] | null
  readonly at: number
}

function translateBlock(state: Translation, block: SdkContentBlock, origin: BlockOrigin): Translated {
  const { messageId, parentToolUseId } = origin
  const agent = origin.agent === null ? null : [...origin.agent]
  switch (block.type) {
    case 'text': {
      const text = block.text ?? ''
      const confirmed = confirmBlock(state, messageId, 'text')
      if (text === '') return { state: confirmed, events: [] }
      const event =
        parentToolUseId === null
          ? draft('AgentThought', { text, messageId }, { agent })
          : draft('SubagentThought', { parentToolUseId, text, messageId }, { agent })
      return emit(confirmed, [event])
    }
    case 'thinking': {
      const text = block.thinking ?? ''
      const confirmed = confirmBlock(state, messageId, 'thinking')
      // The provider may withhold the thinking and send only its signature.
      return text === ''
        ? { state: confirmed, events: [] }
        : emit(confirmed, [draft('AgentThinking', { text, messageId }, { agent })])
    }
    case 'redacted_thinking':
      return { state, events: [] }
    case 'tool_use':
      return isAnswer(state, block, agent)
        ? { state: noteAnswer(state, block, messageId), events: [] }
        : invokeTool(state, block, { ...origin, agent })
    default:
      return emitRaw(state, { ...block, type: 'assistant', subtype: block.type })
  }
}

const isAnswer = ({ outputCheck }: Translation, { name }: SdkContentBlock, agent: readonly string[] | null): boolean =>
  outputCheck !== null && agent === null && name === answerTool

function noteAnswer(state: Translation, { id = '' }: SdkContentBlock, messageId: string): Translation {
  return { ...state, answering: { calls: new Set(state.answering.calls).add(id), messageId, refusal: null } }
}

function invokeTool(state: Translation, block: SdkContentBlock, origin: BlockOrigin): Translated {
  const { messageId, at } = origin
  const agent = origin.agent === null ? null : [...origin.agent]
  const toolUseId = block.id ?? ''
  const toolName = toolNameOf(block.name ?? '')
  const calls = new Map(state.calls).set(toolUseId, { toolName, agent, at })
  const paths = toolName === 'Agent' ? new Map(state.paths).set(toolUseId, [...(agent ?? []), toolUseId]) : state.paths
  const data = { toolName, toolInput: block.input ?? {}, toolUseId, messageId }
  return emit({ ...state, calls, paths }, [draft('AgentInvokedTool', data, { agent })])
}

/** The CLI's tool for structured answers. */
export const answerTool = 'StructuredOutput'

/** `Task` is the older name of `Agent`: models and the CLI use both. */
export const toolNameOf = (name: string): string => (name === 'Task' ? 'Agent' : name)
