// The calls of one message: checked by the gate and the hooks, run in parallel, and stored as each one finishes.
import { cutText, draft, type JsonObject, messageOf } from '@quarterdeck/protocol'
import type { QuestionAsker } from '../../../ports/question-asker.ts'
import { askQuestions, questionTool } from '../../../ports/question-tool.ts'
import type { ToolCall, ToolOutput } from '../../../ports/tool-call.ts'
import { ownNameOf } from '../../../tool-names/client-tool-names.ts'
import type { BackendEvent, SessionOptions } from '../../backend.ts'
import type { LoopHookEvent } from '../../hooks/engine-hook-events.ts'
import { narrowByHooks } from '../../hooks/narrow-by-hooks.ts'
import type { CallPart, CallResult } from '../conversation/entry.ts'
import { unlessStopped } from '../turn-stop.ts'
import type { HookCalls } from './hook-calls.ts'

export interface LoopCallContext {
  readonly session: Pick<SessionOptions, 'gate' | 'questions' | 'hooks' | 'clientTools' | 'hostTools'>
  readonly hookCalls: HookCalls
  /** The tools offered to the model with this request. */
  readonly offered: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly now: () => number
  emit(event: BackendEvent): Promise<void> | null
  /** Adds the result to the conversation. */
  keep(result: CallResult): Promise<void>
  /** Called when a rule, a hook or a person refused a call. */
  onDenied(call: ToolCall): void
  /** Called when a hook ends the turn after these calls. `note` is for the model. */
  onStopped(note: string): void
}

/**
 * Returns the results in the order of the calls. A failure is the result of its call. Rejects, after all calls have
 * ended, only if a result cannot be stored.
 */
export async function callTools(
  callContext: LoopCallContext,
  parts: readonly CallPart[],
): Promise<readonly CallResult[]> {
  // A separate signal per call: each call adds a listener, and Node warns about many listeners on one signal.
  const running = parts.map((part) => callOne({ ...callContext, signal: AbortSignal.any([callContext.signal]) }, part))
  await Promise.allSettled(running)
  return Promise.all(running)
}

interface Outcome extends ToolOutput {
  /** Set if the call was refused, or stopped with the turn. */
  readonly withoutResult?: true
}

async function callOne(callContext: LoopCallContext, part: CallPart): Promise<CallResult> {
  const { toolName, toolInput, toolUseId } = part
  const startedAt = callContext.now()
  const outcome = await perform(callContext, { toolName, toolInput, toolUseId, agent: null }, part.unreadable)
  const { isError, images = [], withoutResult } = outcome
  const output = shorten(outcome.output)
  const data = { toolName, toolUseId, output, isError, durationMs: Math.max(0, callContext.now() - startedAt) }
  // Stored before it is emitted: after a crash the model knows every result that is in the log.
  const result = { toolUseId, output, isError, images: [...images] }
  await callContext.keep(result)
  await callContext.emit(draft('ToolExecuted', withoutResult === true ? { ...data, withoutResult } : data))
  return result
}

async function perform(callContext: LoopCallContext, call: ToolCall, unreadable: string | null): Promise<Outcome> {
  const { signal, offered, hookCalls } = callContext
  if (!offered.has(call.toolName)) return failed(`There is no tool "${call.toolName}".`)
  if (unreadable !== null) return failed(`The input is not a JSON object: ${unreadable.slice(0, 200)}`)
  try {
    const verdict = await unlessStopped(() => judge(callContext, call), signal)
    if (verdict.type === 'deny') {
      callContext.onDenied(call)
      return { ...failed(verdict.message), withoutResult: true }
    }
    const allowed = { ...call, toolInput: verdict.input }
    const output = await unlessStopped(() => run(callContext, allowed), signal)
    const { output: shown, stops } = await unlessStopped(() => hookCalls.afterTool(allowed, output, signal), signal)
    if (stops !== null) callContext.onStopped(stopNote('PostToolUse', call, stops))
    return verdict.context === '' ? shown : { ...shown, output: `${shown.output}\n\n${verdict.context}` }
  } catch (error) {
    if (signal.aborted) return { ...failed('The call was stopped with its turn.'), withoutResult: true }
    return failed(`${call.toolName} failed: ${messageOf(error)}`)
  }
}

type Judged =
  /** `context`: text of hooks for the model, added to the result. */
  | { readonly type: 'allow'; readonly input: JsonObject; readonly context: string }
  | { readonly type: 'deny'; readonly message: string }

async function judge({ session, hookCalls, signal, onStopped }: LoopCallContext, call: ToolCall): Promise<Judged> {
  const checked = await session.gate.check(call)
  const judged = { call, verdict: checked, input: hookCalls.beforeToolInput(call) }
  const { verdict, input, because, output, stops } = await narrowByHooks(session, judged, signal)
  if (stops !== null) onStopped(stopNote('PreToolUse', call, stops))
  const context = output.hookSpecificOutput?.additionalContext ?? ''
  // The question itself goes to a person, so no separate approval is needed.
  if (verdict.type === 'ask' && call.toolName === questionTool) return { type: 'allow', input, context }
  const decided =
    verdict.type === 'ask' ? await session.gate.ask({ ...call, toolInput: input }, signal, because) : verdict
  return decided.type === 'allow' ? { ...decided, context } : decided
}

/** The same text as the Claude CLI. */
const stopNote = (event: LoopHookEvent, { toolName }: ToolCall, reason: string): string =>
  `${event}:${toolName} hook stopped continuation: ${reason}`

async function run({ session, signal }: LoopCallContext, call: ToolCall): Promise<ToolOutput> {
  if (call.toolName === questionTool) return askUser(session.questions, call, signal)
  if (ownNameOf(call.toolName) !== null) return session.clientTools.call(call, signal)
  return session.hostTools.call(call, signal)
}

/** Asks a person and returns the answers as the result of the call. */
async function askUser(asker: QuestionAsker, call: ToolCall, signal: AbortSignal): Promise<ToolOutput> {
  const reply = await askQuestions(asker, call, signal)
  if (reply.type === 'declined') return { output: reply.message, isError: true }
  const lines = Object.entries(reply.answers).map(([question, answer]) => `"${question}" = "${inWords(answer)}"`)
  const note = reply.note === null ? [] : [`The person adds: ${reply.note}`]
  return { output: ['The person has answered:', ...lines, ...note].join('\n'), isError: false }
}

function inWords(answer: unknown): string {
  if (Array.isArray(answer)) return answer.join(', ')
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

const failed = (output: string): Outcome => ({ output, isError: true })

/** Characters. A longer result would fill the context. */
const longestOutput = 100_000

function shorten(output: string): string {
  if (output.length <= longestOutput) return output
  return `${cutText(output, longestOutput)}\n[cut: ${output.length - longestOutput} more characters]`
}
