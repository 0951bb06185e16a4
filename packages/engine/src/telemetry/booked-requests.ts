// The model requests of a turn: their totals, and the agent of each. The message of a request identifies its agent, and
// may arrive before or after the booking.
import { type AgentPath, addTokens, type EventOfType, type TokenCounts } from '@quarterdeck/protocol'
import type { BookedRequest } from './chat-span.ts'
import { timeOf } from './span-of-turn.ts'

export interface AssignedRequest {
  readonly request: BookedRequest
  readonly agent: AgentPath
}

const noTokens: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function createBookedRequests(turnStartedAt: number) {
  const agentOfMessage = new Map<string, AgentPath>()
  const unassigned = new Map<string, BookedRequest>()
  let tokens = noTokens
  let costUsd: number | null = null
  /** The earliest possible start of a request whose start was not seen. */
  let lastEnd = turnStartedAt
  return {
    /** `null` while its message is unknown. */
    book(usage: EventOfType<'UsageRecorded'>, requestedAt: number | undefined): AssignedRequest | null {
      const { data, at } = usage
      tokens = addTokens(tokens, data.tokens)
      if (data.costUsd !== null) costUsd = (costUsd ?? 0) + data.costUsd
      const request = { usage, startedAt: requestedAt ?? Math.min(lastEnd, timeOf(at)) }
      lastEnd = timeOf(at)
      const agent = agentOfMessage.get(data.apiMessageId)
      if (agent !== undefined) return { request, agent }
      unassigned.set(data.apiMessageId, request)
      return null
    },
    /** The booked request of this message, if any. */
    assignAgent(messageId: string, agent: AgentPath): AssignedRequest | null {
      agentOfMessage.set(messageId, agent)
      const request = unassigned.get(messageId)
      unassigned.delete(messageId)
      return request === undefined ? null : { request, agent }
    },
    /** A tool has returned: the next request starts after its result. */
    noteResult(at: string): void {
      lastEnd = timeOf(at)
    },
    left: (): readonly AssignedRequest[] => [...unassigned.values()].map((request) => ({ request, agent: null })),
    totals: () => ({ tokens, costUsd }),
  }
}
