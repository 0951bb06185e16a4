import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { Holder } from './event-store.ts'

export function writeConflict(sessionId: SessionId, expectedSeq: number, actualSeq: number): QuarterdeckError {
  const detail = `session ${sessionId} is at event ${actualSeq}, the writer expected ${expectedSeq}: read the new events and decide again`
  return new QuarterdeckError('store.conflict', detail, { facts: { sessionId, expectedSeq, actualSeq } })
}

export function storeHeld(holder: Holder): QuarterdeckError {
  const { pid, address } = holder
  const where = address === null ? '' : ` at ${address}`
  const detail = `a server works on this data folder already (process ${pid}${where}): use that one, stop it, or choose another folder with --data`
  return new QuarterdeckError('store.held', detail, { facts: { pid, address } })
}

export function sessionHeld(sessionId: SessionId, holder: Holder): QuarterdeckError {
  const { role, pid, address } = holder
  const where = address === null ? '' : ` at ${address}`
  const detail = `a ${role} holds session ${sessionId} (process ${pid}${where}): send your message there, or stop that process first`
  return new QuarterdeckError('session.held-elsewhere', detail, { facts: { sessionId, role, pid, address } })
}

export function storeUnreadable(detail: string, cause?: unknown): QuarterdeckError {
  return new QuarterdeckError('store.corrupt', detail, cause === undefined ? {} : { cause })
}
