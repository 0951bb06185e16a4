// The usage of a session, counted as the SDK does: tokens of the lead agent per turn, models and dollars since the
// start of the session.
import type { EventOfType } from '@quarterdeck/protocol'

/** Usage in the Messages API. */
export interface MessagesApiUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
}

const noUsage: MessagesApiUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

type Booking = EventOfType<'UsageRecorded'>
type ModelUse = Readonly<Record<string, unknown>>
type ModelUses = Readonly<Record<string, ModelUse>>

export type SdkUsage = ReturnType<typeof createSdkUsage>

/** Older messages are not needed. */
const rememberedMessages = 20

export function createSdkUsage() {
  const ofMessages = new Map<string, MessagesApiUsage>()
  let costUsd = 0
  let ofTurn = noUsage
  let turnModels: ModelUses = {}
  let allModels: ModelUses = {}

  return {
    book({ agent, data }: Booking) {
      const usage: MessagesApiUsage = {
        input_tokens: data.tokens.input,
        cache_creation_input_tokens: data.tokens.cacheWrite,
        cache_read_input_tokens: data.tokens.cacheRead,
        output_tokens: data.tokens.output,
      }
      costUsd += data.costUsd ?? 0
      if (agent === null) ofTurn = sumUsage(ofTurn, usage)
      turnModels = sumModels(turnModels, { [data.model]: modelUse(usage, data.costUsd) })
      ofMessages.set(data.apiMessageId, usage)
      const [oldest] = ofMessages.keys()
      if (ofMessages.size > rememberedMessages && oldest !== undefined) ofMessages.delete(oldest)
    },
    /** Usage of one API message; zero before it was booked. */
    ofMessage: (messageId: string): MessagesApiUsage => ofMessages.get(messageId) ?? noUsage,
    /** The sums for a result. The next turn starts at zero. */
    endTurn({ data }: EventOfType<'TurnEnded'>): {
      readonly total_cost_usd: number
      readonly usage: MessagesApiUsage
      readonly modelUsage: ModelUses
    } {
      // The model usage reported by the SDK has more details than the bookings; other backends report none.
      const reported = Object.keys(data.modelUsage).length > 0 ? data.modelUsage : turnModels
      allModels = sumModels(allModels, reported)
      const sums = { total_cost_usd: costUsd, usage: ofTurn, modelUsage: allModels }
      ofTurn = noUsage
      turnModels = {}
      return sums
    },
  }
}

const modelUse = (usage: MessagesApiUsage, costUsd: number | null): ModelUse => ({
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
  cacheReadInputTokens: usage.cache_read_input_tokens,
  cacheCreationInputTokens: usage.cache_creation_input_tokens,
  webSearchRequests: 0,
  costUSD: costUsd ?? 0,
})

const sumUsage = (one: MessagesApiUsage, other: MessagesApiUsage): MessagesApiUsage => ({
  input_tokens: one.input_tokens + other.input_tokens,
  cache_creation_input_tokens: one.cache_creation_input_tokens + other.cache_creation_input_tokens,
  cache_read_input_tokens: one.cache_read_input_tokens + other.cache_read_input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
})

/** Context window sizes are not added up. */
const sizes: ReadonlySet<string> = new Set(['contextWindow', 'maxOutputTokens'])

function sumModels(sums: ModelUses, more: ModelUses): ModelUses {
  const next: Record<string, ModelUse> = { ...sums }
  for (const [model, use] of Object.entries(more)) next[model] = sumUse(next[model] ?? {}, use)
  return next
}

function sumUse(sum: ModelUse, more: ModelUse): ModelUse {
  const next: Record<string, unknown> = { ...sum }
  for (const [name, value] of Object.entries(more)) {
    const before = next[name]
    const isCount = typeof value === 'number' && typeof before === 'number' && !sizes.has(name)
    next[name] = isCount ? before + value : value
  }
  return next
}
