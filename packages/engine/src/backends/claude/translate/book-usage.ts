// Books usage once per API message. The lead's final counts are streamed. A subagent's messages report only their input
// and the start of their output, so the end of the turn books the remainder per model.
import { addTokens, draft, findModel, priceOf, type TokenCounts } from '@quarterdeck/protocol'
import type { ApiUsage, SdkModelUsage } from './sdk-message.ts'
import { chain, emit, type OpenMessage, type Translated, type Translation } from './translation.ts'

export type UsageBooking = Pick<OpenMessage, 'messageId' | 'askedModel' | 'servedModel' | 'agent'> & {
  readonly usage: ApiUsage
}

const noTokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function bookUsage(state: Translation, booking: UsageBooking): Translated {
  const tokens = {
    input: booking.usage.input_tokens ?? 0,
    output: booking.usage.output_tokens ?? 0,
    cacheRead: booking.usage.cache_read_input_tokens ?? 0,
    cacheWrite: booking.usage.cache_creation_input_tokens ?? 0,
  }
  if (state.booked.has(booking.messageId) || isNothing(tokens)) return { state, events: [] }
  const booked = { ...state, booked: new Set(state.booked).add(booking.messageId) }
  const model = modelOf(state, booking)
  return chain(booked, [
    (before) => book(before, { ...booking, model, tokens }),
    (before) => (booking.agent === null ? noteContext(before, model, tokens) : { state: before, events: [] }),
  ])
}

const nearlyFull = 0.8

/** All kinds of input count, cached or not. Reported once per process. */
function noteContext(state: Translation, model: string, { input, cacheRead, cacheWrite }: TokenCounts): Translated {
  const contextWindow = findModel(model, state.catalog)?.contextWindow
  const usedTokens = input + cacheRead + cacheWrite
  if (state.isNearingLimit || contextWindow === undefined || usedTokens <= contextWindow * nearlyFull) {
    return { state, events: [] }
  }
  return emit({ ...state, isNearingLimit: true }, [draft('ContextNearingLimit', { usedTokens, contextWindow })])
}

/** Books the difference between the SDK's count for this turn and the counts of its messages. */
export function bookRemainder(state: Translation, turnUsage: SdkModelUsage, id: string): Translated {
  let current: Translated = { state, events: [] }
  for (const [model, usage] of Object.entries(turnUsage)) {
    const reported = state.turnTokens.get(idOf(state, model)) ?? noTokens
    const remainder = {
      input: Math.max(0, usage.inputTokens - reported.input),
      output: Math.max(0, usage.outputTokens - reported.output),
      cacheRead: Math.max(0, numberOf(usage.cacheReadInputTokens) - reported.cacheRead),
      cacheWrite: Math.max(0, numberOf(usage.cacheCreationInputTokens) - reported.cacheWrite),
    }
    if (isNothing(remainder)) continue
    const booking = { messageId: `rest_${model}_${id}`, servedModel: model, agent: null }
    const next = book(current.state, { ...booking, model: idOf(state, model), tokens: remainder })
    current = { state: next.state, events: [...current.events, ...next.events] }
  }
  return current
}

type Row = Pick<UsageBooking, 'messageId' | 'servedModel' | 'agent'> & {
  readonly model: string
  readonly tokens: TokenCounts
}

function book(state: Translation, { messageId, servedModel, agent, model, tokens }: Row): Translated {
  const reported = state.turnTokens.get(model) ?? noTokens
  const turnTokens = new Map(state.turnTokens).set(model, addTokens(reported, tokens))
  const data = {
    requestId: messageId,
    apiMessageId: messageId,
    model,
    servedModel,
    tokens,
    costUsd: priceOf(tokens, findModel(model, state.catalog)?.price ?? null),
    source: 'backend' as const,
  }
  return emit({ ...state, turnTokens }, [draft('UsageRecorded', data, { agent })])
}

/**
 * The lead requests the session's model, and the SDK counts by the requested model. A subagent may request another one,
 * which only the answer names. The name of a fallback model does not determine the price.
 */
function modelOf({ catalog }: Translation, { agent, askedModel, servedModel }: UsageBooking): string {
  const asked = findModel(askedModel, catalog)
  if (agent === null && asked !== undefined && asked.price !== null) return asked.id
  return findModel(servedModel, catalog)?.id ?? asked?.id ?? askedModel
}

const idOf = ({ catalog }: Translation, model: string): string => findModel(model, catalog)?.id ?? model

const isNothing = (tokens: TokenCounts): boolean => Object.values(tokens).every((count) => count === 0)

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
