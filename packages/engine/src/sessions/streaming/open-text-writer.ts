// Saves and then shows the texts in progress of all sessions of this process, many in one write: one write per text and
// piece would take most of a busy server's time.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../../ports/bus.ts'
import type { GrowingText } from '../../redaction/growing-text.ts'
import type { EventStore, TextPiece } from '../../store/ports/event-store.ts'

/** The session of a text. */
export interface OpenTextSession {
  readonly sessionId: SessionId
  /** When it was last shown something. */
  shownAt: number
  /** The number of its texts that wait or are being saved. */
  unsettled: number
  readonly onFailure: (error: unknown) => void
}

/** A text in progress. */
export interface OpenText {
  readonly session: OpenTextSession
  readonly agent: AgentStreamToken['agent']
  readonly messageId: string
  readonly kind: AgentStreamToken['data']['kind']
  readonly growing: GrowingText
  /** Received since the last round. */
  pending: string
  isWaiting: boolean
  /** An earlier piece has been taken, saved or not. */
  hasBegun: boolean
  /** `null` until it is shown. */
  shown: string | null
  /** The round in which it was saved whole; `null` if the store does not have all of it. */
  wholeAt: number | null
}

export interface OpenTextWriter {
  /** Soon saves and shows the pending part of this text. */
  submit(text: OpenText): void
  /** Saves and shows everything pending of a session now. Failures go to its `onFailure`. */
  settle(session: OpenTextSession): Promise<void>
  /** Stops saving this text after the pieces that are pending or being saved. */
  leave(text: OpenText): void
}

export interface OpenTextWriterOptions {
  readonly store: EventStore
  readonly bus: Bus
  /** How long pieces for a session are gathered. */
  readonly windowMs: number
}

/** With longer windows, text would appear in visible jumps. */
const longestWindowMs = 500
/** The pause after a save, as a multiple of its duration, up to one window. */
const restPerSave = 4
/** Texts are saved whole from time to time, so that their pieces can be dropped. */
const roundsPerWhole = 200

export function createOpenTextWriter({ store, bus, windowMs }: OpenTextWriterOptions): OpenTextWriter {
  const texts = new Set<OpenText>()
  let waiting: OpenText[] = []
  let timer: NodeJS.Timeout | null = null
  let dueAt = Number.POSITIVE_INFINITY
  let saving: Promise<void> | null = null
  let round = 0
  let lastRoundAt = Number.NEGATIVE_INFINITY
  /** The duration of the last round. */
  let savingMs = 0

  /**
   * Merges only pieces that arrive faster than one per window; others are shown at once. If saving is slow, the window
   * grows with it, so that the server catches up.
   */
  function dueOf(shownAt: number): number {
    const window = Math.max(windowMs, Math.min(longestWindowMs, savingMs * 2))
    return Math.max(shownAt + window, lastRoundAt + Math.min(windowMs, savingMs * restPerSave))
  }

  function schedule(at: number): void {
    if (at >= dueAt) return
    dueAt = at
    if (saving !== null) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => void run(), Math.max(0, at - performance.now()))
  }

  function run(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    dueAt = Number.POSITIVE_INFINITY
    lastRoundAt = performance.now()
    saving = saveRound().finally(() => {
      saving = null
      savingMs = performance.now() - lastRoundAt
      if (waiting.length === 0) return
      const at = Math.max(dueAt, dueOf(Number.NEGATIVE_INFINITY))
      dueAt = Number.POSITIVE_INFINITY
      schedule(at)
    })
    return saving
  }

  async function saveRound(): Promise<void> {
    round += 1
    const taken = waiting
    waiting = []
    const steps = taken.map(takeStep)
    const quiet = round % roundsPerWhole === 0 ? quietTexts(taken) : []
    for (const { session } of quiet) session.unsettled += 1
    try {
      await save(steps, quiet)
      for (const step of steps) show(step)
    } catch (error) {
      for (const text of [...taken, ...quiet]) {
        text.wholeAt = null
        text.session.onFailure(error)
      }
    }
    for (const { session } of [...taken, ...quiet]) session.unsettled -= 1
  }

  function takeStep(text: OpenText): Step {
    const piece = text.pending
    text.pending = ''
    text.isWaiting = false
    text.session.shownAt = lastRoundAt
    const isAdded = text.growing.add(piece)
    // After a failed save, readers lack the text in between.
    const isNext = isAdded && (text.wholeAt !== null || !text.hasBegun)
    const isWhole = !isAdded || text.wholeAt === null || round - text.wholeAt >= roundsPerWhole
    text.hasBegun = true
    return { text, piece, whole: text.growing.text(), isNext, isWhole }
  }

  async function save(steps: readonly Step[], quiet: readonly OpenText[]): Promise<void> {
    const pieces: TextPiece[] = []
    const writes: Promise<void>[] = []
    for (const { text, piece, whole, isWhole } of steps) {
      const { session, messageId, kind } = text
      if (isWhole) writes.push(saveWhole(text, whole))
      else pieces.push({ sessionId: session.sessionId, messageId, kind, text: piece })
    }
    for (const text of quiet) writes.push(saveWhole(text, text.growing.text()))
    if (pieces.length > 0) writes.push(store.addToOpenTexts(pieces))
    await Promise.all(writes)
  }

  function saveWhole(text: OpenText, whole: string): Promise<void> {
    text.wholeAt = round
    return store.saveOpenText(text.session.sessionId, snapshotOf(text, whole))
  }

  /** Texts without a new piece for long: the store would have to keep the pieces of all others since then. */
  function quietTexts(taken: readonly OpenText[]): readonly OpenText[] {
    const busy = new Set(taken)
    return [...texts].filter(
      (text) => !busy.has(text) && text.shown !== null && round - (text.wholeAt ?? round) > roundsPerWhole,
    )
  }

  function show({ text, piece, whole, isNext }: Step): void {
    text.shown = whole
    const { agent, messageId, kind } = text
    // A removed secret may reach back into shown text: the text is then sent again as a snapshot.
    const event = isNext
      ? ({ type: 'AgentStreamToken', agent, data: { text: piece, messageId, kind } } as const)
      : snapshotOf(text, whole)
    bus.publish(text.session.sessionId, [event])
  }

  return {
    submit(text) {
      if (text.isWaiting) return
      text.isWaiting = true
      text.session.unsettled += 1
      texts.add(text)
      waiting.push(text)
      schedule(dueOf(text.session.shownAt))
    },
    async settle(session) {
      while (session.unsettled > 0) await (saving ?? run())
    },
    leave: (text) => void texts.delete(text),
  }
}

/** One text in one round. */
interface Step {
  readonly text: OpenText
  readonly piece: string
  readonly whole: string
  /** The piece can be shown alone. */
  readonly isNext: boolean
  readonly isWhole: boolean
}

export const snapshotOf = ({ agent, messageId, kind }: OpenText, text: string): AgentStreamSnapshot => ({
  type: 'AgentStreamSnapshot',
  agent,
  data: { text, messageId, kind },
})
