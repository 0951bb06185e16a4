// Long conversations go on: what no longer fits is summed up by the model itself, and the latest part stays as it is.
import { draft, findModel, priceOf } from '@quarterdeck/protocol'
import { askModel, usageOf } from './ask-model.ts'
import { callsOf, type Entry, textOf } from './conversation/entry.ts'
import { entryTokens, estimateTokens } from './estimate-tokens.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'
import { TurnStop, unlessStopped } from './turn-stop.ts'
import type { WireRequest } from './wire/model-wire.ts'

const nearlyFull = 0.8
const full = 0.9
/** What stays as it is, of the window. */
const keptShare = 0.3
/** What of the rest the model reads to sum it up. */
const readShare = 0.5

/** Of models the catalog does not know. */
const usualWindow = 128_000

/** Tells when the window fills, and compacts before it is full. */
export async function makeRoom(session: LoopSession, turn: LoopTurn, request: WireRequest): Promise<void> {
  const contextWindow = windowOf(session, request)
  const usedTokens = usedBy(session, request)
  if (usedTokens > contextWindow * nearlyFull && !session.window.isNearing) {
    session.window.isNearing = true
    await turn.tell(draft('ContextNearingLimit', { usedTokens, contextWindow }))
  }
  if (usedTokens > contextWindow * full) await compact(session, turn, request)
}

const windowOf = ({ catalog }: LoopSession, { model }: WireRequest): number =>
  findModel(model, catalog)?.contextWindow ?? usualWindow

/** What the provider counted last, and an estimate of what came since. */
function usedBy({ window: { measured }, conversation }: LoopSession, request: WireRequest): number {
  if (measured === null) return estimateTokens(request)
  const since = conversation.entries().slice(measured.entries)
  return measured.tokens + since.reduce((sum, entry) => sum + entryTokens(entry), 0)
}

/** Throws the end of the turn where there is nothing left to sum up. */
export async function compact(session: LoopSession, turn: LoopTurn, request: WireRequest): Promise<void> {
  const { conversation, hookCalls } = session
  const preTokens = usedBy(session, request)
  const from = summedUpTo(conversation.entries())
  const firstKept = firstToKeep(conversation.entries(), from, windowOf(session, request) * keptShare)
  if (firstKept <= from) throw new TurnStop('failed', 'the conversation does not fit into the model’s context window')
  turn.hasCompacted = true
  await unlessStopped(
    () => hookCalls.raise('PreCompact', { trigger: 'auto', custom_instructions: null }, turn.signal),
    turn.signal,
  )
  const text = await summarise(session, turn, { request, entries: conversation.entries().slice(0, firstKept) })
  await conversation.add({ type: 'summary', text, firstKept })
  session.window.measured = null
  session.window.isNearing = false
  await turn.tell(draft('AgentContextCompacted', { preTokens, trigger: 'auto' }))
  await unlessStopped(
    () => hookCalls.raise('PostCompact', { trigger: 'auto', compact_summary: text }, turn.signal),
    turn.signal,
  )
}

/** Where the latest summary leaves off. */
function summedUpTo(entries: readonly Entry[]): number {
  const summary = entries.findLast((entry) => entry.type === 'summary')
  return summary?.type === 'summary' ? summary.firstKept : 0
}

/** Results stay with their calls: what is kept begins with words of either side. */
function firstToKeep(entries: readonly Entry[], from: number, room: number): number {
  const isBeginning = (index: number) => ['prompt', 'answer'].includes(entries[index]?.type ?? '')
  let best = entries.findLastIndex((_, index) => isBeginning(index))
  let used = 0
  for (let index = entries.length - 1; index > from; index -= 1) {
    const entry = entries[index]
    if (entry !== undefined) used += entryTokens(entry)
    if (used > room) break
    if (isBeginning(index)) best = Math.min(best, index)
  }
  return best
}

interface Summed {
  readonly request: WireRequest
  readonly entries: readonly Entry[]
}

/** A summary that cannot be had is no reason to stop: the model is told that something is missing. */
async function summarise(session: LoopSession, turn: LoopTurn, { request, entries }: Summed): Promise<string> {
  const room = Math.floor(windowOf(session, request) * readShare) * 4
  const text = `${instruction}\n\n<conversation>\n${inWords(entries).slice(-room)}\n</conversation>`
  const asked: WireRequest = {
    ...request,
    ...{ system: '', tools: [], thinking: null, effort: null, responseFormat: null, temperature: null, topP: null },
    entries: [{ type: 'prompt', messageId: null, text, images: [] }],
  }
  // What it says is not said to the person.
  const tell: LoopTurn['tell'] = (event) =>
    event.type === 'AgentStreamToken' || event.type === 'AgentStreamDiscarded' ? null : turn.tell(event)
  try {
    const answer = await askModel(session.asker, asked, { tell, signal: turn.signal })
    const costUsd = priceOf(answer.tokens, findModel(answer.model, session.catalog)?.price ?? null)
    session.spent.usd += costUsd ?? 0
    await turn.tell(usageOf(answer, costUsd))
    return textOf(answer.parts)
  } catch (error) {
    if (error instanceof TurnStop && error.outcome !== 'failed') throw error
    return 'The earlier part of this conversation did not fit any more and is not known.'
  }
}

const instruction =
  'Sum up this conversation between a person and an assistant so that the assistant can go on without it: what the person wants, what was decided and found out (names, numbers, identifiers exactly), what was done with which result, and what is still open. Only the summary.'

const inWords = (entries: readonly Entry[]): string => entries.flatMap(entryInWords).join('\n')

function entryInWords(entry: Entry): string[] {
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
      return entry.results.map(({ output, isError }) => `${isError ? 'Failure' : 'Result'}: ${output.slice(0, 2000)}`)
  }
}
