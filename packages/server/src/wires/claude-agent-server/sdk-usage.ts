// The usage of a session, counted as the SDK does: tokens of the lead agent per turn, models and dollars since the
// start of the session.
import { addUsage, noUsage, toWireUsage, usageOf } from '@quarterdeck/model'
import { addModelUsage, type EventOfType, type ModelUsage, type TokenUsage } from '@quarterdeck/protocol'

type Booking = EventOfType<'UsageRecorded'>

export type SdkUsage = ReturnType<typeof createSdkUsage>

/** Older messages are not needed. */
const rememberedMessages = 20

export function createSdkUsage() {
  const ofMessages = new Map<string, TokenUsage>()
  let costUsd = 0
  let ofTurn = noUsage
  let turnModels: ModelUsage = {}
  let allModels: ModelUsage = {}

  return {
    book({ agent, data }: Booking) {
      const usage = usageOf(data.tokens)
      costUsd += data.costUsd ?? 0
      if (agent === null) ofTurn = addUsage(ofTurn, usage)
      const use = { ...usage, webSearchRequests: 0, costUSD: data.costUsd ?? 0 }
      turnModels = addModelUsage(turnModels, { [data.model]: use })
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
      allModels = addModelUsage(allModels, reported)
      const sums = { total_cost_usd: costUsd, usage: toWireUsage(ofTurn), modelUsage: allModels }
      ofTurn = noUsage
      turnModels = {}
      return sums
    },
  }
}
