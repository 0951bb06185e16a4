// Plays a scenario: the first step that fits and is not used up answers. A request without a fitting step fails with an
// explanation.
import { ellipsize, isWakeMessage, parseApprovedCalls } from '@quarterdeck/protocol'
import {
  answeredCalls,
  callsOfTurn,
  type SimulatedConversation,
  type ToolCallEntry,
} from '../replies/read-conversation.ts'
import type { Reply, ReplyToolCall, SimulatedAnswer } from '../replies/reply.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'

export function createScenarioResponder(scenario: Scenario): (conversation: SimulatedConversation) => SimulatedAnswer {
  const used = new Map<ScenarioStep, number>()
  return (conversation) => {
    for (const [index, step] of scenario.steps.entries()) {
      const uses = used.get(step) ?? 0
      const allowed = step.repeat ? Number.POSITIVE_INFINITY : (step.times ?? 1)
      if (uses >= allowed || !fits(step.when, conversation)) continue
      used.set(step, uses + 1)
      return { type: 'reply', by: step.name ?? `step ${index + 1}`, reply: toReply(step.then, conversation) }
    }
    return { type: 'unmatched', message: describeUnmatched(scenario, conversation) }
  }
}

function fits(when: ScenarioStep['when'], conversation: SimulatedConversation): boolean {
  const { turn, text, tool_result: result } = when
  if (turn !== undefined && turn !== conversation.turn) return false
  if (text !== undefined) {
    if (result === undefined && !conversation.endsWithPrompt) return false
    if (!matches(text, conversation.prompt)) return false
  }
  if (result !== undefined && !answeredCalls(conversation).some((call) => fitsResult(result, call))) return false
  if (when.system !== undefined && !matches(when.system, conversation.system)) return false
  if (when.subagent !== undefined && when.subagent !== conversation.isSubagent) return false
  if (when.calls !== undefined && when.calls !== callsOfTurn(conversation).length) return false
  if (when.wake !== undefined && when.wake !== isWakeMessage(conversation.prompt)) return false
  if (when.model !== undefined && !matches(when.model, conversation.request.model)) return false
  return when.tools_offered?.every((name) => conversation.offered.has(name)) ?? true
}

function fitsResult(when: NonNullable<ScenarioStep['when']['tool_result']>, call: ToolCallEntry): boolean {
  if (call.result === null) return false
  if (when.name !== undefined && when.name !== call.name) return false
  if (when.is_error !== undefined && when.is_error !== call.result.isError) return false
  return when.pattern === undefined || matches(when.pattern, call.result.text)
}

const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'is').test(text)

function toReply(then: ScenarioStep['then'], conversation: SimulatedConversation): Reply {
  const tools = [...(then.tools ?? []), ...reissued(then.reissue, conversation)]
  return {
    ...(then.thinking !== undefined && { thinking: then.thinking }),
    ...(then.text !== undefined && { text: then.text }),
    ...(tools.length > 0 && { tools }),
    ...(then.structured_output !== undefined && { structured: then.structured_output }),
    ...(then.stop_reason !== undefined && { stopReason: then.stop_reason }),
    ...(then.usage !== undefined && { usage: toUsage(then.usage) }),
    ...(then.delay_ms !== undefined && { delayMs: then.delay_ms }),
    ...(then.pace_ms !== undefined && { paceMs: then.pace_ms }),
    ...(then.fault !== undefined && { fault: then.fault }),
  }
}

function reissued(reissue: ScenarioStep['then']['reissue'], { prompt }: SimulatedConversation): ReplyToolCall[] {
  if (reissue === undefined) return []
  const changed = reissue === 'exactly' ? {} : reissue.changed
  return parseApprovedCalls(prompt).map(({ tool, input }) => {
    const approved = typeof input === 'object' && input !== null ? input : {}
    return { name: tool, input: { ...approved, ...changed } }
  })
}

const toUsage = (usage: NonNullable<ScenarioStep['then']['usage']>): NonNullable<Reply['usage']> => ({
  ...(usage.input_tokens !== undefined && { inputTokens: usage.input_tokens }),
  ...(usage.output_tokens !== undefined && { outputTokens: usage.output_tokens }),
  ...(usage.cache_read_input_tokens !== undefined && { cacheReadInputTokens: usage.cache_read_input_tokens }),
  ...(usage.cache_creation_input_tokens !== undefined && {
    cacheCreationInputTokens: usage.cache_creation_input_tokens,
  }),
})

function describeUnmatched(scenario: Scenario, conversation: SimulatedConversation): string {
  const results = answeredCalls(conversation).map(
    (call) => `${call.name}${call.result?.isError ? ' (error)' : ''}: ${shorten(call.result?.text ?? 'no result')}`,
  )
  const lines = [
    `simulator: no step of scenario "${scenario.name ?? 'unnamed'}" fits this request`,
    `turn: ${conversation.turn}${conversation.isSubagent ? ', inside a subagent' : ''}`,
    `last user text: ${shorten(conversation.prompt)}`,
    ...(results.length > 0 ? [`tool results: ${results.join(' | ')}`] : []),
    `tools offered: ${conversation.offered.size} (${[...conversation.offered.keys()].join(', ')})`,
  ]
  return lines.join('\n')
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 300 ? ellipsize(line, 300) : JSON.stringify(line)
}
