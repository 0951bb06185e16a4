// The time that counts against the limit of a session. Time spent waiting for users does not count.
import type { SessionState, Transcript } from '@quarterdeck/protocol'

export function workingTimeMs(session: SessionState, transcript: Transcript, now: number): number {
  if (session.turn === null) return session.durationMs
  const from = Date.parse(session.turn.startedAt)
  const waits = transcript.items.flatMap((item) => {
    if ((item.type !== 'approval' && item.type !== 'question') || item.at === null) return []
    const start = Math.max(from, Date.parse(item.at))
    const end = item.settledAt === null ? now : Date.parse(item.settledAt)
    return end > start ? [{ start, end }] : []
  })
  return Math.max(session.durationMs, session.durationMs + (now - from) - overlapFree(waits))
}

/** The total length of all spans, with overlaps counted once. */
function overlapFree(spans: readonly { readonly start: number; readonly end: number }[]): number {
  let total = 0
  let covered = Number.NEGATIVE_INFINITY
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    total += Math.max(0, end - Math.max(start, covered))
    covered = Math.max(covered, end)
  }
  return total
}
