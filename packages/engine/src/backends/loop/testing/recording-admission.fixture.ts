// An admission that grants every request and records how each ticket ended.

import { setTimeout as sleep } from 'node:timers/promises'
import type {
  RequestAdmission,
  RequestEstimate,
  RequestRefusal,
  RequestTicket,
  RequestUse,
} from '@quarterdeck/protocol'

export interface RecordedTicket {
  readonly estimate: RequestEstimate
  begun: RequestUse | null
  settled: RequestUse | null
  retries: Parameters<RequestTicket['retrying']>[0][]
  /** How often the ticket was ended; must be 1. */
  ends: number
  refusedKey: number | null
}

export interface RecordingAdmission extends RequestAdmission {
  readonly tickets: RecordedTicket[]
  /** Refuses the next requests with this; `null` admits them again. */
  refuseWith(refusal: RequestRefusal | null): void
}

export function createRecordingAdmission(): RecordingAdmission {
  const tickets: RecordedTicket[] = []
  let refusal: RequestRefusal | null = null
  return {
    tickets,
    refuseWith(next) {
      refusal = next
    },
    async admit(estimate, signal) {
      if (refusal !== null) return refusal
      const ticket: RecordedTicket = { estimate, begun: null, settled: null, retries: [], ends: 0, refusedKey: null }
      tickets.push(ticket)
      return {
        type: 'go',
        begun(use) {
          ticket.begun = use
        },
        async settle(use) {
          ticket.settled = use
          ticket.ends += 1
        },
        async release() {
          ticket.ends += 1
        },
        async retrying(retry) {
          ticket.retries.push(retry)
          await sleep(retry.delayMs, undefined, { signal }).catch(() => undefined)
        },
        keyRefused(status) {
          ticket.refusedKey = status
        },
      }
    },
  }
}
