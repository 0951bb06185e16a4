// The usage of a session, counted as the SDK does: tokens of the lead agent per turn, models and dollars since the
// start of the session.
import { addUsage, noUsage, toWireUsage, usageOf } from '@quarterdeck/model'
import type { EventOfType, TokenUsage } from '@quarterdeck/protocol'

type Booking = EventOfType<'UsageRecorded'>
type ModelUse = Readonly<Record<string, unknown>>
type ModelUses = Readonly<Record<string, ModelUse>>

export type SdkUsage = ReturnType<typeof createSdkUsage>

/** Older messages are not needed. */
const rememberedMessages = 20

export function createSdkUsage() {
  const ofMessages = new Map<string, TokenUsage>()
  let costUsd = 0
  let ofTurn = noUsage
  let turnModels: ModelUses = {}
  let allModels: ModelUses = {}

  return {
    book({ agent, data }: Booking) {
      const usage = usageOf(data.tokens)
      costUsd += data.costUsd ?? 0
      if (agent === null) ofTurn = addUsage(ofTurn, usage)
      const use = { ...usage, webSearchRequests: 0, costUSD: data.costUsd ?? 0 }
      turnModels = sumModels(turnModels, { [data.model]: use })
      ofMessages.set(data.apiMessageId, usage)
      const [oldest] = ofMessages.keys()
      if (ofMessages.size > rememberedMessages && oldest !== undefined) ofMessages.delete(oldest)
    },
    /** Usage of one API message; zero before it was booked. */
    ofMessage: (messageId: string) => toWireUsage(ofMessages.get(messageId) ?? noUsage),
    /** The sums for a result. The next turn starts at zero. */
    endTurn({ data }: EventOfType<'TurnEnded'>) {
      // The model usage reported by the SDK has more details than the bookings; other backends report none.
      const reported = Object.keys(data.modelUsage).length > 0 ? data.modelUsage : turnModels
      allModels = sumModels(allModels, reported)
      const sums = { total_cost_usd: costUsd, usage: toWireUsage(ofTurn), modelUsage: allModels }
      ofTurn = noUsage
      turnModels = {}
      return sums
    },
  }
}

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
