// Faults before an answer: an error in the API's shape, or a closed connection.
import type { ServerResponse } from 'node:http'
import { errorTypeOfStatus } from '@quarterdeck/model'
import type { Fault } from '../faults/fault.ts'
import type { WireFormat } from '../wires/wire-format.ts'

export interface Refusable {
  readonly wire: WireFormat
  readonly response: ServerResponse
  readonly requestId: string
}

export type EarlyFault = Extract<Fault, { type: 'status' | 'reset_before_headers' }>

export const failsBeforeAnswer = (fault: Fault): fault is EarlyFault =>
  fault.type === 'status' || fault.type === 'reset_before_headers'

/** Returns the status that was sent, if any. */
export function refuse({ wire, response, requestId }: Refusable, fault: EarlyFault): number | null {
  if (fault.type === 'reset_before_headers') {
    response.socket?.resetAndDestroy()
    return null
  }
  const seconds = fault.retry_after_seconds
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) }
  const message = fault.message ?? `simulated ${errorTypeOfStatus(fault.status)}`
  wire.sendError(response, { status: fault.status, message, requestId, headers })
  return fault.status
}
