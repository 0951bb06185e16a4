// Compacts long conversations: the model summarizes the part that no longer fits, and the latest part stays unchanged.
import { cutText, draft, estimateCharacters, findModel, lastPart } from '@quarterdeck/protocol'
import { objectionOf } from '../../hooks/hook-output.ts'
import { callsOf, type Entry, textOf } from '../conversation/entry.ts'
import { entryTokens } from '../conversation/estimate-request-tokens.ts'
import { requestWithRetries } from '../request/request-with-retries.ts'
import { TurnStop, unlessStopped } from '../turn-stop.ts'
import type { WireRequest } from '../wire/model-wire.ts'
import { WireFailure } from '../wire/wire-failure.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'

const nearlyFull = 0.8
const full = 0.9
/** The part of the window that stays unchanged. */
const keptWindowShare = 0.3
/** The part of the window that the model reads for the summary. Reduced each time that is too long as well. */
const readShares = [0.5, 0.25, 0.12] as const
/** How often the provider may refuse a shortened conversation. */
const mostRefusals = 4

/** For models that are not in the catalog. */
const defaultContextWindow = 128_000

/** Reports a window that is filling up, and compacts before it is full. */
export async function compactIfNeeded(session: LoopSession, turn: LoopTurn, request: WireRequest): Promise<void> {
  const contextWindow = windowOf(session, request)
  const usedTokens = usedBy(session, request)
  if (usedTokens > contextWindow * nearlyFull && session.window.beginNearing()) {
    await turn.emit(draft('ContextNearingLimit', { usedTokens, contextWindow }))
  }
  // If a hook refuses here, the conversation may still fit: the provider decides.
  if (usedTokens > contextWindow * full) await compact(session, turn, { request, window: contextWindow })
}

/**
 * Compacts after the provider refused a request as too long. The window is smaller than expected, so the size of the
 * refused request is the measure. Throws `TurnStop` if that does not help.
 */
export async function compactAfterRefusal(
  session: LoopSession,
  turn: LoopTurn,
  refused: { readonly request: WireRequest; readonly failure: WireFailure },
): Promise<void> {
  const { request, failure } = refused
  if (turn.countRefusal() > mostRefusals) throw new TurnStop('failed', failure.message)
  const refusal = await compact(session, turn, { request, window: usedBy(session, request) })
  if (refusal !== null) throw new TurnStop('failed', `${tooLong}, and a hook refused to compact it: ${refusal}`)
}

const tooLong = 'the conversation does not fit into the model’s context window'

const windowOf = ({ catalog }: LoopSession, { model }: WireRequest): number =>
  findModel(model, catalog)?.contextWindow ?? defaultContextWindow

const usedBy = ({ window, conversation }: LoopSession, request: WireRequest): number =>
  window.usedBy(request, conversation.entries())

interface CompactionRequest {
  readonly request: WireRequest
  /** The token limit that the conversation has to meet. */
  readonly window: number
}

/**
 * Returns the reason if a hook refuses. Throws `TurnStop` if nothing is left to summarize or there is no summary; the
 * conversation is then unchanged.
 */
async function compact(
  session: LoopSession,
  turn: LoopTurn,
  { request, window }: CompactionRequest,
): Promise<string | null> {
  const { conversation, hookCalls } = session
  const preTokens = usedBy(session, request)
  const from = summedUpTo(conversation.entries())
  const firstKept = firstEntryToKeep(conversation.entries(), from, window * keptWindowShare)
  if (firstKept <= from) throw new TurnStop('failed', tooLong)
  const hookAnswer = await unlessStopped(
    () => hookCalls.raise('PreCompact', { trigger: 'auto', custom_instructions: null }, turn.signal),
    turn.signal,
  )
  const objection = objectionOf(hookAnswer)
  if (objection !== null) return objection
  const text = await summarise(session, turn, { request, window, entries: conversation.entries().slice(0, firstKept) })
  await conversation.add({ type: 'summary', text, firstKept })
  session.window.reset()
  await turn.emit(draft('AgentContextCompacted', { preTokens, trigger: 'auto' }))
  await unlessStopped(
    () => hookCalls.raise('PostCompact', { trigger: 'auto', compact_summary: text }, turn.signal),
    turn.signal,
  )
  return null
}

/** The first entry that the latest summary does not cover. */
function summedUpTo(entries: readonly Entry[]): number {
  const summary = entries.findLast((entry) => entry.type === 'summary')
  return summary?.type === 'summary' ? summary.firstKept : 0
}

/** Results stay with their calls: the kept part begins with a message. */
function firstEntryToKeep(entries: readonly Entry[], from: number, tokenBudget: number): number {
  const isBeginning = (index: number) => ['prompt', 'answer'].includes(entries[index]?.type ?? '')
  let best = entries.findLastIndex((_, index) => isBeginning(index))
  let used = 0
  for (let index = entries.length - 1; index > from; index -= 1) {
    const entry = entries[index]
    if (entry !== undefined) used += entryTokens(entry)
    if (used > tokenBudget) break
    if (isBeginning(index)) best = Math.min(best, index)
  }
  return best
}

interface SummaryRequest extends CompactionRequest {
  readonly entries: readonly Entry[]
}

/** Entries that no model could read are left out, and the model is told that something is missing. */
async function summarise(
  session: LoopSession,
  turn: LoopTurn,
  { request, window, entries }: SummaryRequest,
): Promise<string> {
  const transcript = asTranscript(entries)
  for (const share of readShares) {
    try {
      return await askForSummary(session, turn, { ...request, ...bare, entries: [asked(transcript, window * share)] })
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error
    }
  }
  return 'The earlier part of this conversation did not fit any more and is not known.'
}

const bare = {
  system: '',
  tools: [],
  thinking: null,
  effort: null,
  responseFormat: null,
  temperature: null,
  topP: null,
}

const asked = (transcript: string, tokens: number): Entry => {
  const text = `${instruction}\n\n<conversation>\n${lastPart(transcript, estimateCharacters(tokens))}\n</conversation>`
  return { type: 'prompt', messageId: null, text, images: [] }
}

/** Throws `WireFailure` if the request is too long. */
async function askForSummary(session: LoopSession, turn: LoopTurn, request: WireRequest): Promise<string> {
  // The summary is not streamed to clients.
  const emit: LoopTurn['emit'] = (event) =>
    event.type === 'AgentStreamToken' || event.type === 'AgentStreamDiscarded' ? null : turn.emit(event)
  const answer = await requestWithRetries(session.requester, request, { emit, signal: turn.signal })
  await turn.emit(session.spending.add(answer))
  const text = textOf(answer.parts)
  if (text.trim() === '')
    throw new TurnStop('failed', 'the conversation is too long, and the model returned no summary of it')
  return text
}

const instruction =
  'Sum up this conversation between a person and an assistant so that the assistant can go on without it: what the person wants, what was decided and found out (names, numbers, identifiers exactly), what was done with which result, and what is still open. Only the summary.'

const asTranscript = (entries: readonly Entry[]): string => entries.flatMap(entryAsTranscript).join('\n')

function entryAsTranscript(entry: Entry): string[] {
  switch (entry.type) {
    case 'prompt':
      return [`Person: ${entry.text}`]
    case 'note':
      return [`Host: ${entry.text}`]
    case 'summary':
      return [`Summary of what was before: ${entry.text}`]
    case 'answer': {
      const calls = callsOf(entry.parts).map((call) => `Call of ${call.toolName}: ${JSON.stringify(call.toolInput)}`)
      return [`Assistant: ${textOf(entry.parts)}`, ...calls]
    }
    case 'results':
      return entry.results.map(({ output, isError }) => `${isError ? 'Failure' : 'Result'}: ${cutText(output, 2000)}`)
  }
}
