// The calls of one message: judged by the gate and the hooks, run side by side, each kept as soon as it is over.
import { cutText, draft, type JsonObject } from '@quarterdeck/protocol'
import { ownNameOf } from '../../../tool-names/client-tool-names.ts'
import type { BackendEvent, SessionOptions, ToolCall, ToolOutput } from '../../backend.ts'
import type { LoopHookEvent } from '../../hooks/hook-events.ts'
import { narrowByHooks } from '../../hooks/narrow-by-hooks.ts'
import { questionTool } from '../../question-tool.ts'
import type { CallPart, CallResult } from '../conversation/entry.ts'
import { unlessStopped } from '../turn-stop.ts'
import { askUser } from './ask-user.ts'
import type { HookCalls } from './hook-calls.ts'

export interface LoopCallContext {
  readonly session: Pick<SessionOptions, 'gate' | 'questions' | 'hooks' | 'clientTools' | 'hostTools'>
  readonly hookCalls: HookCalls
  /** The names the model was offered with this request. */
  readonly offered: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly now: () => number
  emit(event: BackendEvent): Promise<void> | null
  /** Makes it part of the conversation. */
  keep(result: CallResult): Promise<void>
  /** A call was refused by a rule, a hook or a person. */
  onDenied(call: ToolCall): void
  /** A hook wants the turn to end with these calls: what the model is to know of it. */
  onStopped(note: string): void
}

/**
 * The results in the order of the calls. What goes wrong is the result of its call; rejects only where one cannot be
 * kept, when all are over.
 */
export async function callTools(around: LoopCallContext, parts: readonly CallPart[]): Promise<readonly CallResult[]> {
  // A signal of its own: each call listens to it, and Node takes many listeners of one for a leak.
  const running = parts.map((part) => callOne({ ...around, signal: AbortSignal.any([around.signal]) }, part))
  await Promise.allSettled(running)
  return Promise.all(running)
}

interface Outcome extends ToolOutput {
  /** Refused, or stopped with the turn. */
  readonly withoutResult?: true
}

async function callOne(around: LoopCallContext, part: CallPart): Promise<CallResult> {
  const { toolName, toolInput, toolUseId } = part
  const startedAt = around.now()
  const outcome = await perform(around, { toolName, toolInput, toolUseId, agent: null }, part.unreadable)
  const { isError, images = [], withoutResult } = outcome
  const output = shorten(outcome.output)
  const data = { toolName, toolUseId, output, isError, durationMs: Math.max(0, around.now() - startedAt) }
  // Before it is told: what the log knows of, the model knows of too, also when the process dies in between.
  const result = { toolUseId, output, isError, images: [...images] }
  await around.keep(result)
  await around.emit(draft('ToolExecuted', withoutResult === true ? { ...data, withoutResult } : data))
  return result
}

async function perform(around: LoopCallContext, call: ToolCall, unreadable: string | null): Promise<Outcome> {
  const { signal, offered, hookCalls } = around
  if (!offered.has(call.toolName)) return failed(`There is no tool "${call.toolName}".`)
  if (unreadable !== null) return failed(`The input is not a JSON object: ${unreadable.slice(0, 200)}`)
  try {
    const verdict = await unlessStopped(() => judge(around, call), signal)
    if (verdict.type === 'deny') {
      around.onDenied(call)
      return { ...failed(verdict.message), withoutResult: true }
    }
    const allowed = { ...call, toolInput: verdict.input }
    const output = await unlessStopped(() => run(around, allowed), signal)
    const { output: shown, stops } = await unlessStopped(() => hookCalls.afterTool(allowed, output, signal), signal)
    if (stops !== null) around.onStopped(stopNote('PostToolUse', call, stops))
    return verdict.context === '' ? shown : { ...shown, output: `${shown.output}\n\n${verdict.context}` }
  } catch (error) {
    if (signal.aborted) return { ...failed('The call was stopped with its turn.'), withoutResult: true }
    return failed(`${call.toolName} failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

type Judged =
  /** `context`: what hooks want the model to know with the result. */
  | { readonly type: 'allow'; readonly input: JsonObject; readonly context: string }
  | { readonly type: 'deny'; readonly message: string }

async function judge({ session, hookCalls, signal, onStopped }: LoopCallContext, call: ToolCall): Promise<Judged> {
  const checked = await session.gate.check(call)
  const judged = { call, verdict: checked, input: hookCalls.beforeToolInput(call) }
  const { verdict, input, because, output, stops } = await narrowByHooks(session, judged, signal)
  if (stops !== null) onStopped(stopNote('PreToolUse', call, stops))
  const context = contextOf(output)
  // A question is asked of the person in any case: asking before whether it may be asked would be a second one.
  if (verdict.type === 'ask' && call.toolName === questionTool) return { type: 'allow', input, context }
  const decided =
    verdict.type === 'ask' ? await session.gate.ask({ ...call, toolInput: input }, signal, because) : verdict
  return decided.type === 'allow' ? { ...decided, context } : decided
}

function contextOf({ hookSpecificOutput: specific }: JsonObject): string {
  if (typeof specific !== 'object' || specific === null || !('additionalContext' in specific)) return ''
  return typeof specific.additionalContext === 'string' ? specific.additionalContext : ''
}

/** In the words of the Claude CLI. */
const stopNote = (event: LoopHookEvent, { toolName }: ToolCall, reason: string): string =>
  `${event}:${toolName} hook stopped continuation: ${reason}`

async function run({ session, signal }: LoopCallContext, call: ToolCall): Promise<ToolOutput> {
  if (call.toolName === questionTool) return askUser(session.questions, call, signal)
  if (ownNameOf(call.toolName) !== null) return session.clientTools.call(call, signal)
  return session.hostTools.call(call, signal)
}

const failed = (output: string): Outcome => ({ output, isError: true })

/** Letters: what is longer would crowd out the conversation. */
const longestOutput = 100_000

function shorten(output: string): string {
  if (output.length <= longestOutput) return output
  return `${cutText(output, longestOutput)}\n[cut: ${output.length - longestOutput} more letters]`
}
