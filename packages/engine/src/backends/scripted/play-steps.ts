// Plays the steps of one turn as the events that a real backend would send.
import { resolve } from 'node:path'
import { type AgentPath, draft, type JsonObject, type TurnOutcome, untilAborted } from '@quarterdeck/protocol'
import { askQuestions, questionTool } from '../../ports/question-tool.ts'
import type { ToolCall } from '../../ports/tool-call.ts'
import { ownNameOf } from '../../tool-names/client-tool-names.ts'
import type { BackendEvent, SessionOptions, ToolVerdict } from '../backend.ts'
import { type ScriptedExchange, writeFile } from './conversations.ts'
import type { Step } from './script.ts'

export interface TurnPlayback {
  readonly options: SessionOptions
  /** The path of the subagent that plays the steps; `null` for the lead. */
  readonly agent: AgentPath
  /** The exchange that the conversation will store. */
  readonly exchange: ScriptedExchange
  /** Aborted by an interrupt. */
  readonly signal: AbortSignal
  /** Resolves when the whole process dies. */
  readonly crashed: Promise<void>
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly newId: (kind: 'msg' | 'toolu' | 'agent') => string
  readonly spent: { requests: number; costUsd: number }
}

/** Thrown to end the turn with an outcome. */
export class ScriptStop extends Error {
  readonly outcome: TurnOutcome

  constructor(outcome: TurnOutcome, reason = '') {
    super(reason)
    this.outcome = outcome
  }
}

type PlayedEvents = AsyncGenerator<BackendEvent, void>

export async function* playSteps(steps: readonly Step[], play: TurnPlayback): PlayedEvents {
  for (const step of steps) {
    if (play.signal.aborted) throw new ScriptStop('interrupted')
    yield* playStep(step, play)
  }
}

async function* playStep(step: Step, play: TurnPlayback): PlayedEvents {
  const { agent } = play
  switch (step.type) {
    case 'text':
      return yield* streamText(step.chunks, play)
    case 'thinking': {
      const messageId = play.newId('msg')
      yield { type: 'AgentStreamToken', agent, data: { text: step.text, messageId, kind: 'thinking' } }
      return yield draft('AgentThinking', { text: step.text, messageId }, { agent })
    }
    case 'tool':
      return yield* callTools([step], play)
    case 'parallel':
      return yield* callTools(step.tools, play)
    case 'write':
      return yield* write(step, play)
    case 'subagent':
      return yield* delegate(step, play)
    case 'usage':
      return yield* spend(step, play)
    case 'delay':
      return await play.sleep(step.ms, play.signal)
    case 'stall':
      return yield* stall(step.chunks, play)
    case 'retry': {
      const { status, delayMs } = step
      return yield draft('ModelRequestRetrying', { attempt: 1, maxRetries: 3, delayMs, status, error: 'scripted' })
    }
    case 'broken_stream': {
      const messageId = play.newId('msg')
      yield* tokens(step.chunks, play, messageId)
      const data = { text: step.chunks.join(''), messageId, reason: 'the stream broke' }
      return yield draft('AgentStreamDiscarded', data, { agent })
    }
    case 'compact':
      return yield draft('AgentContextCompacted', { preTokens: step.preTokens, trigger: 'manual' })
    default:
      throw stopOf(step)
  }
}

function stopOf(step: Extract<Step, { type: 'crash' | 'fail' | 'limit' }>): ScriptStop {
  if (step.type === 'crash') return new ScriptStop('crashed')
  if (step.type === 'fail') return new ScriptStop('failed', step.reason)
  const outcomes = { turns: 'turn_limit', budget: 'budget_limit', time: 'timeout' } as const
  return new ScriptStop(outcomes[step.limit])
}

function* tokens(chunks: readonly string[], { agent }: TurnPlayback, messageId: string): Generator<BackendEvent> {
  for (const text of chunks) yield { type: 'AgentStreamToken', agent, data: { text, messageId, kind: 'text' } }
}

async function* streamText(chunks: readonly string[], play: TurnPlayback): PlayedEvents {
  const { agent } = play
  const messageId = play.newId('msg')
  play.exchange.replies.push(messageId)
  const text = chunks.join('')
  if (agent === null) yield* tokens(chunks, play, messageId)
  const parentToolUseId = agent?.at(-1)
  yield parentToolUseId === undefined
    ? draft('AgentThought', { text, messageId }, { agent })
    : draft('SubagentThought', { parentToolUseId, text, messageId }, { agent })
}

async function* stall(chunks: readonly string[], play: TurnPlayback): PlayedEvents {
  const { agent } = play
  const messageId = play.newId('msg')
  yield* tokens(chunks, play, messageId)
  const how = await Promise.race([untilAborted(play.signal), play.crashed.then(() => 'crashed' as const)])
  const text = chunks.join('')
  if (how === 'crashed') {
    yield draft('AgentStreamDiscarded', { text, messageId, reason: 'the process ended' }, { agent })
    throw new ScriptStop('crashed')
  }
  yield draft('AgentThought', { text, messageId }, { agent })
}

type ToolStep = Extract<Step, { type: 'tool' }>

async function* callTools(steps: readonly ToolStep[], play: TurnPlayback): PlayedEvents {
  const { agent } = play
  const messageId = play.newId('msg')
  play.exchange.replies.push(messageId)
  const calls = steps.map((step) => ({ step, toolUseId: step.toolUseId ?? play.newId('toolu') }))
  for (const { step, toolUseId } of calls) {
    const data = { toolName: step.name, toolInput: step.input, toolUseId, messageId }
    yield draft('AgentInvokedTool', data, { agent })
  }
  const results = await Promise.all(
    calls.map(({ step, toolUseId }) =>
      perform(step, { toolName: step.name, toolInput: step.input, toolUseId, agent }, play),
    ),
  )
  for (const [index, { step, toolUseId }] of calls.entries()) {
    const done = results[index] ?? { output: 'not performed', isError: true, withoutResult: true }
    const data = { toolName: step.name, toolUseId, durationMs: 0, ...done }
    yield draft('ToolExecuted', data, { agent })
  }
}

interface Performed {
  readonly output: string
  readonly isError: boolean
  readonly withoutResult?: boolean
}

/** Questions go to people and client tools to clients, as in every backend. Other results are scripted. */
async function perform(step: ToolStep, call: ToolCall, play: TurnPlayback): Promise<Performed> {
  const verdict = await judge(call, play)
  if (verdict.type === 'deny') return { output: verdict.message, isError: true, withoutResult: true }
  const allowed = { ...call, toolInput: verdict.input }
  if (call.toolName === questionTool) return askUser(allowed, play)
  if (ownNameOf(call.toolName) !== null) return play.options.clientTools.call(allowed, play.signal)
  return { output: resultOf(step, verdict.input), isError: step.isError === true }
}

async function askUser(call: ToolCall, { options, signal }: TurnPlayback): Promise<Performed> {
  const reply = await askQuestions(options.questions, call, signal)
  if (reply.type === 'declined') return { output: reply.message, isError: true }
  return { output: JSON.stringify(reply.answers), isError: false }
}

async function* write({ path, text }: Extract<Step, { type: 'write' }>, play: TurnPlayback): PlayedEvents {
  const { exchange, options } = play
  if (exchange.filesBefore.size === 0 && exchange.messageId !== null) {
    yield draft('FilesCheckpointed', { messageId: exchange.messageId })
  }
  const input = { file_path: resolve(options.cwd, path), content: text }
  const result = ({ file_path, content }: JsonObject) => {
    writeFile(exchange, String(file_path), String(content))
    return `wrote ${String(file_path)}`
  }
  yield* callTools([{ type: 'tool', name: 'Write', input, result }], play)
}

const resultOf = ({ result }: ToolStep, input: ToolStep['input']): string =>
  typeof result === 'string' ? result : result(input)

async function judge(call: ToolCall, { options, signal }: TurnPlayback): Promise<ToolVerdict> {
  const verdict = await options.gate.check(call)
  return verdict.type === 'ask' ? options.gate.ask(call, signal) : verdict
}

async function* delegate(step: Extract<Step, { type: 'subagent' }>, play: TurnPlayback): PlayedEvents {
  const { agent } = play
  const { agentType, description, summary } = step
  const toolUseId = step.toolUseId ?? play.newId('toolu')
  const agentId = play.newId('agent')
  const path = [...(agent ?? []), toolUseId]
  const toolInput = { description, prompt: description, subagent_type: agentType }
  yield draft('AgentInvokedTool', { toolName: 'Agent', toolInput, toolUseId, messageId: play.newId('msg') }, { agent })
  const started = { agentId, agentType, parentToolUseId: toolUseId, description }
  yield draft('SubagentStarted', started, { agent: path })
  yield* playSteps(step.steps, { ...play, agent: path })
  yield draft('SubagentStopped', { agentId, parentToolUseId: toolUseId, isError: false, summary }, { agent: path })
  const executed = { toolName: 'Agent', toolUseId, output: summary, isError: false, durationMs: 0 }
  yield draft('ToolExecuted', executed, { agent })
}

async function* spend(step: Extract<Step, { type: 'usage' }>, play: TurnPlayback): PlayedEvents {
  const { agent, options } = play
  const { limits, model } = options
  const id = play.newId('msg')
  const tokensUsed = { input: step.input, output: step.output, cacheRead: 0, cacheWrite: 0 }
  play.spent.requests += 1
  play.spent.costUsd += step.costUsd ?? 0
  yield draft(
    'UsageRecorded',
    {
      requestId: id,
      apiMessageId: id,
      model,
      servedModel: 'scripted',
      tokens: tokensUsed,
      costUsd: step.costUsd ?? null,
      source: 'backend',
    },
    { agent },
  )
  if (play.spent.costUsd > limits.maxBudgetUsd) throw new ScriptStop('budget_limit')
  if (play.spent.requests > limits.maxTurns) throw new ScriptStop('turn_limit')
}
