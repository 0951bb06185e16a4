import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import type { Holder } from './event-store.ts'
import type { StreamKey } from './streams.ts'

export function writeConflict(sessionId: SessionId, expectedSeq: number, actualSeq: number): QuarterdeckError {
  const detail = `session ${sessionId} is at event ${actualSeq}, the writer expected ${expectedSeq}: read the new events and decide again`
  return new QuarterdeckError('store.conflict', detail, { facts: { sessionId, expectedSeq, actualSeq } })
}

export function streamConflict({ kind, id }: StreamKey, expectedSeq: number, actualSeq: number): QuarterdeckError {
  const detail = `${kind} ${id} is at event ${actualSeq}, the writer expected ${expectedSeq}: read the new events and decide again`
  return new QuarterdeckError('store.conflict', detail, { facts: { kind, id, expectedSeq, actualSeq } })
}

export function positionBeyondLog(position: number, lastPosition: number): QuarterdeckError {
  const detail = `the log ends at position ${lastPosition}, before ${position}: read the current state and continue from there`
  return new QuarterdeckError('cursor.beyond-log', detail, { facts: { position, lastPosition } })
}

export function leaseLost(sessionId: SessionId, fencing: number, current: number): QuarterdeckError {
  const detail = `session ${sessionId} was taken over (lease ${current}, the writer has ${fencing}): this process can no longer write to it`
  return new QuarterdeckError('store.conflict', detail, { facts: { sessionId, fencing, current } })
}

export function seedUsed(seed: string, sessionId: SessionId): QuarterdeckError {
  const detail = `this request already created session ${sessionId}: use that one`
  return new QuarterdeckError('store.conflict', detail, { facts: { seed, sessionId } })
}

export function keyExists(name: string): QuarterdeckError {
  const detail = `there is or was a key named ${name}: choose another name`
  return new QuarterdeckError('key.exists', detail, { facts: { name } })
}

export function storeHeld(holder: Holder): QuarterdeckError {
  const { pid, address } = holder
  const where = address === null ? '' : ` at ${address}`
  const detail = `a server is already running on this data folder (process ${pid}${where}): use it, stop it, or choose another folder with --data`
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

/** The end of a message about lost data, after another remedy. */
export const acceptLossHint = 'start without the lost data: quarterdeck serve --accept-loss'

export const diskReasons = {
  full: 'its disk is full. Free some space, and the server continues automatically. Refused requests were not saved: send them again',
  readOnly: 'it is read-only. Make it writable for this user, or choose another folder with --data',
  closed:
    'no file can be opened in it. Check that it exists and that this user may write there, or choose another with --data',
  unopened:
    'its database cannot be opened. Opening it creates files beside it, even to read: make the folder writable for this user, or copy it to a writable one and choose the copy with --data',
  broken: 'its disk reports an error. Check the disk and its connection, or choose another folder with --data',
} as const

export function storeUnavailable(folder: string, reason: string, cause: unknown): QuarterdeckError {
  const detail = `the data folder ${folder} cannot be written: ${reason}`
  return new QuarterdeckError('store.unavailable', detail, { cause })
}

export function storeLocked(cause: unknown): QuarterdeckError {
  const detail =
    'another process has locked the database for half a minute. Stop that process, and the server continues automatically. Refused requests were not saved: send them again'
  return new QuarterdeckError('store.unavailable', detail, { cause })
}

const systemReasons: ReadonlyMap<unknown, string> = new Map([
  ['ENOSPC', diskReasons.full],
  ['EDQUOT', diskReasons.full],
  ['EROFS', diskReasons.readOnly],
  ['EACCES', diskReasons.closed],
  ['EPERM', diskReasons.closed],
  ['ENOENT', diskReasons.closed],
  ['ENOTDIR', diskReasons.closed],
  ['EEXIST', diskReasons.closed],
  ['EIO', diskReasons.broken],
])

/** Translates a system error about creating a folder or a file; returns any other error unchanged. */
export function folderFailure(folder: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reason = systemReasons.get(code)
  return reason === undefined ? error : storeUnavailable(folder, reason, error)
}
