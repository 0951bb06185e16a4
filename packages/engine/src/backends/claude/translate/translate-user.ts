// Tool results arrive as user messages. Other content of user messages (prompts, reminders, summaries, replays) is
// already in the log.
import { draft } from '@quarterdeck/protocol'
import type { UserBlock, UserMessage } from './sdk-message.ts'
import { stopSubagent } from './translate-subagent.ts'
import { chain, emit, emitRaw, pathOf, type Translated, type Translation } from './translation.ts'

export function translateUser(state: Translation, sent: UserMessage, at: number): Translated {
  const { content } = sent.message
  if (sent.isReplay === true || typeof content === 'string') return { state, events: [] }
  const results = content.filter((block) => block.type === 'tool_result')
  return chain(
    state,
    results.map((block) => (before) => translateResultBlock(before, block, { sent, at })),
  )
}

function translateResultBlock(
  state: Translation,
  block: UserBlock,
  { sent, at }: { readonly sent: UserMessage; readonly at: number },
): Translated {
  const toolUseId = block.tool_use_id ?? ''
  if (state.answering.calls.has(toolUseId)) return structuredAnswerRefused(state, block)
  const call = state.calls.get(toolUseId)
  const withoutResult = isWithoutResult(sent, toolUseId)
  const output = withoutResult ? withoutHookPrefix(outputOf(block)) : outputOf(block)
  const isError = block.is_error === true
  const calls = new Map(state.calls)
  calls.delete(toolUseId)
  const startedAt = state.callStarts.get(toolUseId) ?? call?.at
  const data = {
    toolName: call?.toolName ?? 'unknown',
    toolUseId,
    output,
    isError,
    durationMs: startedAt === undefined ? null : Math.max(0, at - startedAt),
    ...(withoutResult && { withoutResult: true }),
    ...(call === undefined && { unattached: true }),
  }
  const agent = call === undefined ? pathOf(state, sent.parent_tool_use_id) : call.agent
  return chain({ ...state, calls }, [
    (before) => stopSubagent(before, { toolUseId, isError, summary: output }),
    (before) => emit(before, [draft('ToolExecuted', data, { agent })]),
  ])
}

/** An answer that does not match the schema is returned to the model, which tries again. */
function structuredAnswerRefused(state: Translation, block: UserBlock): Translated {
  if (block.is_error !== true) return { state, events: [] }
  const refusal = outputOf(block)
  const answering = { ...state.answering, refusal }
  return emitRaw({ ...state, answering }, { type: 'answer_refused', refusal })
}

const isWithoutResult = ({ tool_result_meta = [] }: UserMessage, toolUseId: string): boolean =>
  tool_result_meta.some(({ id, non_execution_kind }) => id === toolUseId && non_execution_kind !== undefined)

/** Texts of the CLI for a call that it refused on the engine's behalf, or stopped with its turn. */
function withoutHookPrefix(output: string): string {
  if (output.startsWith("The user doesn't want to proceed with this tool use.")) return stoppedCall
  return output.replace(/^PreToolUse:\S+ hook error: /, '')
}

const stoppedCall = 'The call was stopped with its turn.'

function outputOf({ content }: UserBlock): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => part.text ?? `[${part.type}]`).join('\n')
}
