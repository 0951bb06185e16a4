// The demo: small rules in a fixed order. The first rule with an answer wins.
import { asJsonObject, isContinueMessage, parseJson } from '@quarterdeck/protocol'
import { structuredOutputTool } from '../replies/build-message.ts'
import { callsOfTurn, type SimulatedConversation } from '../replies/read-conversation.ts'
import type { Reply, SimulatedAnswer } from '../replies/reply.ts'
import { type DemoRule, longestRead } from './facts/demo-rule.ts'
import { analysis, sqlWriter } from './rules/analysis.ts'
import { arithmetic } from './rules/arithmetic.ts'
import { askPerson } from './rules/ask-person.ts'
import { coder, explorer } from './rules/coder.ts'
import { delegate } from './rules/delegate.ts'
import { files } from './rules/files.ts'
import { namedTool, plainlyMeantTool, searchForAnswer } from './rules/fitting-tool.ts'
import { capabilities, images, memory, shorten, smallTalk, unknown } from './rules/small-talk.ts'
import { toolResults } from './rules/tool-results.ts'
import { answerWakeMessage, compaction, wake, wakeWithoutTool } from './rules/wake.ts'
import { fillSchema } from './tool-input/fill-schema.ts'

const workInProgress: readonly DemoRule[] = [
  compaction,
  analysis,
  sqlWriter,
  wake,
  explorer,
  coder,
  wakeWithoutTool,
  answerWakeMessage,
  toolResults,
]

// Work in progress comes before new requests; the refusal comes last.
const demoRules: readonly DemoRule[] = [
  ...workInProgress,
  delegate,
  askPerson,
  namedTool,
  plainlyMeantTool,
  shorten,
  files,
  capabilities,
  memory,
  arithmetic,
  smallTalk,
  images,
  searchForAnswer,
  unknown,
]

/** Rules that search the whole message. Each of them needs linear time only. */
const readWhole: ReadonlySet<DemoRule> = new Set([...workInProgress, namedTool])

const mostCallsPerTurn = 24

export function respondAsDemo(given: SimulatedConversation): SimulatedAnswer {
  const conversation = takenUpAgain(given)
  if (callsOfTurn(conversation).length >= mostCallsPerTurn) {
    return {
      type: 'reply',
      by: 'too-many-calls',
      reply: { text: 'I have called many tools for this without an end in sight, so I stop here.' },
    }
  }
  const beginning = { ...conversation, prompt: conversation.prompt.slice(0, longestRead) }
  for (const rule of demoRules) {
    const reply = rule.reply(readWhole.has(rule) ? conversation : beginning)
    if (reply) return { type: 'reply', by: rule.name, reply: asAsked(reply, beginning, rule) }
  }
  return { type: 'unmatched', message: 'simulator: no rule answers' }
}

/** "Continue" continues the previous request. */
function takenUpAgain(conversation: SimulatedConversation): SimulatedConversation {
  if (!isContinueMessage(conversation.prompt)) return conversation
  const asked = conversation.entries.findLast((entry) => entry.type === 'prompt' && !isContinueMessage(entry.text))
  return asked?.type === 'prompt' ? { ...conversation, prompt: asked.text } : conversation
}

const asAsked = (reply: Reply, conversation: SimulatedConversation, rule: DemoRule): Reply =>
  withThinking(asStructuredOutput(asChosen(reply, conversation), conversation, rule), conversation)

// A request may demand a certain tool, or only one call at a time.
function asChosen(reply: Reply, { request, offered, prompt }: SimulatedConversation): Reply {
  const choice = request.tool_choice
  const alone =
    choice?.disable_parallel_tool_use === true ? { ...reply, tools: (reply.tools ?? []).slice(0, 1) } : reply
  if (choice?.type !== 'any' && choice?.type !== 'tool') return alone
  const called = (alone.tools ?? []).filter(({ name }) => choice.type === 'any' || name === choice.name)
  const tool = choice.type === 'any' ? offered.values().next().value : offered.get(choice.name ?? '')
  if (called.length > 0 || tool === undefined) return { ...alone, tools: called }
  const input = fillSchema(tool.input_schema, { prompt, answer: null })
  return { ...alone, tools: [{ name: tool.name, input: asJsonObject(input) }] }
}

// An agent with a response format gets its object as the last step of the turn; the values come from the plain answer.
function asStructuredOutput(
  reply: Reply,
  { offered, request, prompt, system }: SimulatedConversation,
  rule: DemoRule,
): Reply {
  if (reply.tools && reply.tools.length > 0) return reply
  const named = offered.get(structuredOutputTool)?.input_schema ?? request.output_config?.format?.schema
  const schema = named ?? writtenSchema(system)
  if (!schema) return reply
  // A statement is itself the value: the refusal of the last rule would not be one.
  const answer = rule === unknown && !prompt.includes('?') ? prompt : (reply.text ?? '')
  return { structured: fillSchema(schema, { prompt, answer }) }
}

/** If the API has no field for the schema, the instructions end with it. */
function writtenSchema(system: string): unknown {
  const text = /JSON Schema:\n(\{.*\})$/.exec(system.trimEnd())?.[1]
  return text === undefined ? undefined : parseJson(text)
}

function withThinking(reply: Reply, { request, endsWithPrompt, offered }: SimulatedConversation): Reply {
  const asked = request.thinking !== undefined && request.thinking.type !== 'disabled'
  if (!asked || !endsWithPrompt) return reply
  const next = reply.tools?.map((call) => call.name).join(' and ')
  const plan = next ? `the next step is ${next}` : 'I can answer at once'
  return {
    ...reply,
    thinking: `One of my rules fits this message. With ${offered.size === 1 ? '1 tool' : `${offered.size} tools`} on offer, ${plan}.`,
  }
}
