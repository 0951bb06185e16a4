// Sends the heads of the chain to a place that whoever can write the database cannot write. Commits never wait for it:
// what is not sent yet is merged into one note, because a later head covers the earlier ones.
import { setTimeout } from 'node:timers/promises'
import type { HeadNote } from './head-note.ts'
import { appendHead } from './heads-file.ts'

export interface AuditCopyOptions {
  /** A file, or an http(s) address that gets each note as a JSON body. */
  readonly target: string
  /** Called with the first failure after a success. */
  readonly onFailure: (error: string) => void
  /** The least time between two notes. */
  readonly pauseMs?: number
  readonly firstRetryMs?: number
  /** How long a receiver may take. */
  readonly patienceMs?: number
}

export interface AuditCopy {
  offer(note: HeadNote): void
  /** Tries once more to send what is left. */
  close(): Promise<void>
}

const usualPauseMs = 1000
const usualFirstRetryMs = 1000
const longestRetryMs = 60_000
const usualPatienceMs = 5000
/** Sessions in one note; the oldest are left out of it. The head covers their audited events all the same. */
const mostSessions = 1000

export function openAuditCopy(options: AuditCopyOptions): AuditCopy {
  const { pauseMs = usualPauseMs, firstRetryMs = usualFirstRetryMs } = options
  const closing = new AbortController()
  let pending: HeadNote | null = null
  let sending: Promise<void> | null = null
  let failures = 0

  async function trySending(): Promise<void> {
    const note = pending
    if (note === null) return
    pending = null
    try {
      await send(note, options)
      failures = 0
    } catch (error) {
      pending = merged(note, pending)
      failures += 1
      if (failures === 1) options.onFailure(reasonOf(error))
    }
  }

  async function sendAll(): Promise<void> {
    while (pending !== null && !closing.signal.aborted) {
      await trySending()
      const waitMs = failures === 0 ? pauseMs : Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 20))
      // Closing ends the wait early.
      await setTimeout(waitMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined)
    }
    sending = null
  }

  return {
    offer(note) {
      pending = pending === null ? note : merged(pending, note)
      if (!closing.signal.aborted) sending ??= sendAll()
    },
    async close() {
      closing.abort()
      await sending
      await trySending()
    },
  }
}

function merged(earlier: HeadNote, later: HeadNote | null): HeadNote {
  if (later === null) return earlier
  const { entries, hash } = later.entries >= earlier.entries ? later : earlier
  const sessions = Object.entries({ ...earlier.sessions, ...later.sessions }).slice(-mostSessions)
  return { entries, hash, sessions: Object.fromEntries(sessions) }
}

async function send(note: HeadNote, { target, patienceMs = usualPatienceMs }: AuditCopyOptions): Promise<void> {
  if (!isAddress(target)) return appendWithin(patienceMs, target, note)
  const response = await fetch(target, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(note),
    signal: AbortSignal.timeout(patienceMs),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`)
}

/** A network share that hangs must not keep the server from stopping. */
async function appendWithin(patienceMs: number, file: string, note: HeadNote): Promise<void> {
  const done = new AbortController()
  const late = setTimeout(patienceMs, 'late', { signal: done.signal }).catch(() => 'done')
  try {
    if ((await Promise.race([appendHead(file, note), late])) === 'late') throw new Error('the file does not answer')
  } finally {
    done.abort()
  }
}

const isAddress = (target: string): boolean => /^https?:\/\//i.test(target)

/** Without the address, which may hold a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
