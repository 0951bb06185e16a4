// One turn: requests an answer, runs its calls and repeats until the model makes no more calls.
import { draft, messageOf, neverAborted } from '@quarterdeck/protocol'
import type { HostTool } from '../../../ports/host-toolbox.ts'
import type { TurnPrompt } from '../../driver/turn-driver.ts'
import { objectionOf } from '../../hooks/hook-output.ts'
import { type CallPart, type CallResult, callsOf, reminder, textOf, thinkingOf } from '../conversation/entry.ts'
import { uniqueCallIds } from '../conversation/unique-call-ids.ts'
import type { ModelAnswer } from '../request/model-requester.ts'
import { requestWithRetries } from '../request/request-with-retries.ts'
import { callTools } from '../tools/call-tools.ts'
import { offeredTools } from '../tools/offered-tools.ts'
import { stopOfSignal, TurnStop, unlessStopped } from '../turn-stop.ts'
import { WireFailure } from '../wire/wire-failure.ts'
import { buildRequest } from './build-request.ts'
import { compactAfterRefusal, compactIfNeeded } from './compact.ts'
import { closeUnanswered, finishAnswer } from './finish-answer.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'

/** Resolves when the turn is complete. Throws `TurnStop` if it ends otherwise. */
export async function runLoopTurn(session: LoopSession, turn: LoopTurn, prompt: TurnPrompt): Promise<void> {
  refuseIf(await submit(session, prompt, turn.signal))
  for (;;) {
    await takeSteered(session, turn)
    checkLimits(session, turn)
    const asked = await ask(session, turn)
    if (asked === 'again') continue
    const { answer, offered } = asked
    await emitAnswer(session, turn, answer)
    const calls = callsOf(answer.parts)
    const next =
      calls.length > 0 ? await runCalls(session, turn, { calls, offered }) : await finishAnswer(session, turn, answer)
    if (next === 'over') return
  }
}

/** A message leaves the queue only when it is in the conversation, or refused. */
async function takeSteered(session: LoopSession, turn: LoopTurn): Promise<void> {
  for (let prompt = turn.nextSteered(); prompt !== undefined; prompt = turn.nextSteered()) {
    const refusal = await submit(session, prompt, turn.signal)
    turn.dropSteered()
    refuseIf(refusal)
  }
}

/**
 * Adds the remaining queued messages to the conversation, because their senders were told that they are part of it. The
 * turn is over, so its signal cannot be used for hooks.
 */
export async function submitSteered(session: LoopSession, turn: LoopTurn): Promise<void> {
  for (let prompt = turn.nextSteered(); prompt !== undefined; prompt = turn.nextSteered()) {
    await submit(session, prompt, neverAborted())
    turn.dropSteered()
  }
}

function refuseIf(refusal: string | null): void {
  if (refusal !== null) throw new TurnStop('failed', refusal)
}

/** Adds a prompt to the conversation. Returns the reason if a hook refuses it. */
async function submit(
  { conversation, hookCalls }: LoopSession,
  prompt: TurnPrompt,
  signal: AbortSignal,
): Promise<string | null> {
  const hookAnswer = await unlessStopped(
    () => hookCalls.raise('UserPromptSubmit', { prompt: prompt.text }, signal),
    signal,
  )
  const isStopped = hookAnswer.continue === false
  const objection = objectionOf(hookAnswer, anyRefusal)
  if (objection !== null && !isStopped) return objection
  const { messageId, text, images } = prompt
  await conversation.add({ type: 'prompt', messageId, text, images: [...images] })
  // Like the Claude CLI, keeps a prompt that the hook only leaves unanswered.
  if (isStopped) return hookAnswer.stopReason || anyRefusal
  const { additionalContext } = hookAnswer.hookSpecificOutput
  if (additionalContext !== undefined && additionalContext !== '') {
    await conversation.add({ type: 'note', text: reminder(additionalContext) })
  }
  return null
}

const anyRefusal = 'a hook refused the message'

function checkLimits({ options, spending }: LoopSession, { requests, signal }: LoopTurn): void {
  if (signal.aborted) throw stopOfSignal(signal)
  if (requests() >= options.limits.maxTurns) throw new TurnStop('turn_limit')
  if (spending.usd() >= options.limits.maxBudgetUsd) throw new TurnStop('budget_limit')
}

type Offered = ReadonlySet<string>
type Asked = 'again' | { readonly answer: ModelAnswer; readonly offered: Offered }

async function ask(session: LoopSession, turn: LoopTurn): Promise<Asked> {
  const tools = await chooseTools(session, turn)
  await compactIfNeeded(session, turn, buildRequest(session, turn, tools))
  const request = buildRequest(session, turn, tools)
  const startedAt = session.now()
  turn.beginRequest()
  try {
    const answered = await requestWithRetries(session.requester, request, turn)
    const answer = { ...answered, parts: uniqueCallIds(answered.parts, session.conversation.entries()) }
    turn.noteAnswer(request.model, answer.model)
    return { answer, offered: new Set(tools.map(({ name }) => name)) }
  } catch (error) {
    // A request that is only too long is repeated after compaction.
    if (!(error instanceof WireFailure)) throw error
    await compactAfterRefusal(session, turn, { request, failure: error })
    return 'again'
  } finally {
    turn.endRequest(session.now() - startedAt)
  }
}

/** Throws `TurnStop` if the tools cannot be ranked. */
async function chooseTools(session: LoopSession, { signal }: LoopTurn): Promise<readonly HostTool[]> {
  const { options, conversation, toolChooser, canAsk } = session
  const choose = () => toolChooser.choose(offeredTools(options, canAsk), conversation.entries(), signal)
  const failed = (error: unknown) => {
    throw new TurnStop('failed', `tool_filtering: ${messageOf(error)}`)
  }
  return unlessStopped(() => choose().catch(failed), signal)
}

/** Adds the model's answer to the conversation and to the log. */
async function emitAnswer(session: LoopSession, { emit }: LoopTurn, answer: ModelAnswer): Promise<void> {
  const { conversation, spending, window } = session
  const { messageId, model, parts, tokens } = answer
  await conversation.add({ type: 'answer', messageId, model, parts: [...parts] })
  const total = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite
  window.measure(total, conversation.entries().length)
  const thinking = thinkingOf(parts)
  const text = textOf(parts)
  if (thinking !== '') await emit(draft('AgentThinking', { text: thinking, messageId }))
  if (text !== '') await emit(draft('AgentThought', { text, messageId }))
  for (const { toolName, toolInput, toolUseId } of callsOf(parts)) {
    await emit(draft('AgentInvokedTool', { toolName, toolInput, toolUseId, messageId }))
  }
  await emit(spending.add(answer))
}

async function runCalls(
  session: LoopSession,
  turn: LoopTurn,
  { calls, offered }: { readonly calls: readonly CallPart[]; readonly offered: Offered },
): Promise<'over' | 'continues'> {
  const { options, hookCalls, now, conversation } = session
  const { signal, emit, noteDenial: onDenied } = turn
  const stops: string[] = []
  const onStopped = (note: string) => void stops.push(note)
  const keep = (result: CallResult) => conversation.add({ type: 'results', results: [result] })
  await callTools({ session: options, hookCalls, offered, signal, now, emit, keep, onDenied, onStopped }, calls)
  if (signal.aborted || stops.length === 0) return 'continues'
  await conversation.add({ type: 'note', text: reminder(stops.join('\n')) })
  return closeUnanswered(session, turn)
}
