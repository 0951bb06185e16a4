import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { Holder } from './event-store.ts'

export function writeConflict(sessionId: SessionId, expectedSeq: number, actualSeq: number): QuarterdeckError {
  const detail = `session ${sessionId} is at event ${actualSeq}, the writer expected ${expectedSeq}: read the new events and decide again`
  return new QuarterdeckError('store.conflict', detail, { facts: { sessionId, expectedSeq, actualSeq } })
}

export function leaseLost(sessionId: SessionId, fencing: number, current: number): QuarterdeckError {
  const detail = `session ${sessionId} was taken over (lease ${current}, the writer has ${fencing}): this process may not write to it any more`
  return new QuarterdeckError('store.conflict', detail, { facts: { sessionId, fencing, current } })
}

export function seedUsed(seed: string, sessionId: SessionId): QuarterdeckError {
  const detail = `this creation made session ${sessionId} already: read that one`
  return new QuarterdeckError('store.conflict', detail, { facts: { seed, sessionId } })
}

export function keyExists(name: string): QuarterdeckError {
  const detail = `there is or was a key named ${name}: choose another name`
  return new QuarterdeckError('key.exists', detail, { facts: { name } })
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

/** The end of a message about lost data, after a first choice. */
export const acceptLossHint = 'start without the lost data: quarterdeck serve --accept-loss'

export const diskReasons = {
  full: 'its disk is full. Free some space: what was refused was not written, and work goes on by itself afterwards',
  readOnly: 'it is read-only. Make it writable for this user, or choose another folder with --data',
  closed:
    'nothing can be opened in it. Check that it exists and that this user may write there, or choose another with --data',
  broken: 'its disk reports an error. Check the disk and its connection, or choose another folder with --data',
} as const

export function storeUnavailable(folder: string, reason: string, cause: unknown): QuarterdeckError {
  const detail = `the data folder ${folder} cannot be written: ${reason}`
  return new QuarterdeckError('store.unavailable', detail, { cause })
}

export function storeLocked(cause: unknown): QuarterdeckError {
  const detail =
    'another process has locked the database for half a minute. Find out which one works on it and end that: what was refused was not written, and work goes on by itself afterwards'
  return new QuarterdeckError('store.unavailable', detail, { cause })
}

const systemReasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', diskReasons.full],
  ['EDQUOT', diskReasons.full],
  ['EROFS', diskReasons.readOnly],
  ['EACCES', diskReasons.closed],
  ['EPERM', diskReasons.closed],
  ['ENOTDIR', diskReasons.closed],
  ['EEXIST', diskReasons.closed],
  ['EIO', diskReasons.broken],
])

/** What the system says when a folder is made or a file is put into it; anything else comes back as it was. */
export function folderFailure(folder: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reason = systemReasons.get(code)
  return reason === undefined ? error : storeUnavailable(folder, reason, error)
}
