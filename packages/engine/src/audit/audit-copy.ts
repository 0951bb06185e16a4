// Copies the heads of the audit chain to a file or address outside the data folder, where a process that can write to the
// database cannot change them. Commits never wait for the copy: unsent notes are merged into one, because a later head
// covers the earlier ones.
import { backoffDelay, sleep, withTimeout } from '@quarterdeck/protocol'
import type { AuditHead } from './audit-entry.ts'
import type { HeadNote } from './head-note.ts'
import { appendHead } from './heads-file.ts'

export interface AuditCopyOptions {
  /** A file, or an http(s) address that gets each note as a JSON body. */
  readonly target: string
  /** Called with the first failure after a success. */
  readonly onFailure: (error: string) => void
  /** The minimum time between two notes. */
  readonly pauseMs?: number
  readonly firstRetryMs?: number
  /** Time limit of one attempt. */
  readonly timeoutMs?: number
}

export interface AuditCopy {
  /** Queues a note and returns immediately. Never throws. */
  offer(note: HeadNote): void
  /** Tries once more to send the queued note. */
  close(): Promise<void>
}

const defaultPauseMs = 1000
const defaultFirstRetryMs = 1000
const maxRetryMs = 60_000
const defaultTimeoutMs = 5000
/** Sessions in one note. Those changed longest ago are left out; the head still covers their audited events. */
const maxSessions = 1000

export function openAuditCopy(options: AuditCopyOptions): AuditCopy {
  const { pauseMs = defaultPauseMs, firstRetryMs = defaultFirstRetryMs } = options
  const closing = new AbortController()
  let pending: PendingNote | null = null
  let sending: Promise<void> | null = null
  let failures = 0

  async function trySending(): Promise<void> {
    const unsent = pending
    if (unsent === null) return
    pending = null
    try {
      await send({ ...unsent.head, sessions: Object.fromEntries(unsent.sessions) }, options)
      failures = 0
    } catch (error) {
      pending = merge(unsent, pending)
      failures += 1
      if (failures === 1) options.onFailure(reasonOf(error))
    }
  }

  async function sendAll(): Promise<void> {
    while (pending !== null && !closing.signal.aborted) {
      await trySending()
      const bounds = { firstMs: firstRetryMs, longestMs: maxRetryMs }
      const waitMs = failures === 0 ? pauseMs : backoffDelay(failures, bounds)
      // Closing ends the wait early.
      await sleep(waitMs, closing.signal, { ref: false })
    }
    sending = null
  }

  return {
    offer(note) {
      const { sessions, ...head } = note
      const added = { head, sessions: new Map(Object.entries(sessions)) }
      pending = pending === null ? added : merge(pending, added)
      if (!closing.signal.aborted) sending ??= sendAll()
    },
    async close() {
      closing.abort()
      await sending
      await trySending()
    },
  }
}

interface PendingNote {
  readonly head: AuditHead
  /** In the order of their last change. */
  readonly sessions: Map<string, number>
}

/** Adds the sessions to those of the earlier note, because copying them would make each commit slower. */
function merge({ head, sessions }: PendingNote, later: PendingNote | null): PendingNote {
  if (later === null) return { head, sessions }
  for (const [sessionId, seq] of later.sessions) {
    // A session that changed again moves to the end.
    sessions.delete(sessionId)
    sessions.set(sessionId, seq)
  }
  for (const sessionId of sessions.keys()) {
    if (sessions.size <= maxSessions) break
    sessions.delete(sessionId)
  }
  return { head: later.head.entries >= head.entries ? later.head : head, sessions }
}

async function send(note: HeadNote, { target, timeoutMs = defaultTimeoutMs }: AuditCopyOptions): Promise<void> {
  if (!isAddress(target)) return appendWithin(timeoutMs, target, note)
  const response = await fetch(target, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(note),
    signal: AbortSignal.timeout(timeoutMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the receiver answered with status ${response.status}`)
}

/** A network share that hangs must not keep the server from stopping. */
async function appendWithin(timeoutMs: number, file: string, note: HeadNote): Promise<void> {
  const appended = appendHead(file, note).then(() => 'done' as const)
  if ((await withTimeout(appended, timeoutMs)) === null)
    throw new Error(`writing ${file} took longer than ${timeoutMs} ms`)
}

const isAddress = (target: string): boolean => /^https?:\/\//i.test(target)

/** Without the address, which may contain a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
