import type { AgentDefinition, PermissionMode } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import { callsOf, type Entry } from '../conversation/entry.ts'
import type { WireRequest } from '../wire/model-wire.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'

/** The next model request, from the current state. */
export function buildRequest(session: LoopSession, turn: LoopTurn, tools: readonly HostTool[]): WireRequest {
  const { agent, conversation } = session
  const { model, permissionMode, thinking } = session.chosen()
  const { maxTokens, temperature, topP } = agent.model
  return {
    tools,
    thinking,
    maxTokens,
    temperature,
    topP,
    model: turn.modelFor(model),
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

/** The entries that the model receives: the latest summary instead of the entries it covers, then the rest. */
function shownEntries(entries: readonly Entry[]): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.type === 'summary')
  const summary = entries[index]
  if (summary?.type !== 'summary') return joinResults(entries)
  const rest = entries.slice(summary.firstKept).filter((entry) => entry.type !== 'summary')
  return [
    { type: 'note', text: `<summary_of_earlier_conversation>\n${summary.text}\n</summary_of_earlier_conversation>` },
    ...joinResults(rest),
  ]
}

/** Results are stored as they arrive. Providers want those of one answer together, in the order of its calls. */
function joinResults(entries: readonly Entry[]): readonly Entry[] {
  const shown: Entry[] = []
  let order: readonly string[] = []
  for (const entry of entries) {
    const last = shown.at(-1)
    if (entry.type === 'answer') order = callsOf(entry.parts).map(({ toolUseId }) => toolUseId)
    if (entry.type !== 'results' || last?.type !== 'results') {
      shown.push(entry)
      continue
    }
    const results = [...last.results, ...entry.results]
    results.sort((one, other) => order.indexOf(one.toolUseId) - order.indexOf(other.toolUseId))
    shown[shown.length - 1] = { type: 'results', results }
  }
  return shown
}
