import type { AgentDefinition, PermissionMode } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import { shownEntries } from '../conversation/shown-entries.ts'
import type { WireRequest } from '../wire/model-wire.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'

/** The next model request, from the current state. */
export function buildRequest(session: LoopSession, { fallback }: LoopTurn, tools: readonly HostTool[]): WireRequest {
  const { agent, conversation } = session
  const { model, permissionMode, thinking } = session.chosen()
  const { maxTokens, temperature, topP } = agent.model
  return {
    tools,
    thinking,
    maxTokens,
    temperature,
    topP,
    model: fallback?.from === model ? fallback.to : model,
    system: systemPrompt(agent, permissionMode, session.options.sessionTools.instructions ?? ''),
    entries: shownEntries(conversation.entries()),
    effort: agent.claude.effort,
    responseFormat: agent.responseFormat,
  }
}

function systemPrompt({ instructions, responseFormat }: AgentDefinition, mode: PermissionMode, more: string): string {
  const own = instructions.type === 'text' ? instructions.text : instructions.append
  return [
    own,
    more,
    ...(mode === 'plan' ? [planning] : []),
    ...(responseFormat === null ? [] : [formatInstruction(responseFormat)]),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

const planning =
  'You are planning: do not change anything. Look at what you need with tools that only read, then tell what you would do, step by step.'

const formatInstruction = (schema: object): string =>
  `Your final answer is one JSON value and nothing else: no words before or after it, no code fence. It keeps this JSON Schema:\n${JSON.stringify(schema)}`
