// Merges tokens that arrive faster than one per window (25 ms, up to 500 ms when saving is slow), then saves and shows
// them, for all sessions of this process in one write: one write per text and piece would take most of a busy server's
// time.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../../ports/bus.ts'
import type { GrowingText } from '../../redaction/growing-text.ts'
import type { EventStore, TextPiece } from '../../store/ports/event-store.ts'

/** A message that is being written. */
interface OpenMessage {
  readonly agent: AgentStreamToken['agent']
  readonly messageId: string
  readonly kind: AgentStreamToken['data']['kind']
}

/** A text in progress. */
export interface OpenText extends OpenMessage {
  /** Soon saves and shows this piece. */
  append(piece: string): void
  /** Stops saving this text after the pieces that are pending or being saved. */
  leave(): void
  /** The shown text; `null` until there is one. */
  snapshot(): AgentStreamSnapshot | null
}

/** The texts in progress of a session. */
export interface OpenTextSession {
  open(message: OpenMessage, growing: GrowingText): OpenText
  /** Nothing waits or is being saved. */
  isFlushed(): boolean
  /** Saves and shows everything pending now. Failures go to `onFailure`. */
  flush(): Promise<void>
}

export interface OpenTextWriter {
  openSession(sessionId: SessionId, onFailure: (error: unknown) => void): OpenTextSession
}

/** The state of a session. Only this file changes it, and that of its texts. */
interface SessionTexts {
  readonly sessionId: SessionId
  /** When it was last shown something. */
  shownAt: number
  /** The number of its texts that wait or are being saved. */
  unflushed: number
  readonly onFailure: (error: unknown) => void
}

interface TextState extends OpenMessage {
  readonly session: SessionTexts
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

export interface OpenTextWriterOptions {
  readonly store: EventStore
  readonly bus: Bus
  /** How long tokens of a session are merged. */
  readonly windowMs?: number
}

const tokenWindowMs = 25
/** With longer windows, text would appear in visible jumps. */
const longestWindowMs = 500
/** The pause after a save, as a multiple of its duration, up to one window. */
const restPerSave = 4
/** Texts are saved whole from time to time, so that their pieces can be dropped. */
const roundsPerWhole = 200

export function createOpenTextWriter(options: OpenTextWriterOptions): OpenTextWriter {
  const { store, bus, windowMs = tokenWindowMs } = options
  const texts = new Set<TextState>()
  let waiting: TextState[] = []
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
    for (const { session } of quiet) session.unflushed += 1
    try {
      await save(steps, quiet)
      for (const step of steps) show(step)
    } catch (error) {
      for (const text of [...taken, ...quiet]) {
        text.wholeAt = null
        text.session.onFailure(error)
      }
    }
    for (const { session } of [...taken, ...quiet]) session.unflushed -= 1
  }

  function takeStep(text: TextState): Step {
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

  async function save(steps: readonly Step[], quiet: readonly TextState[]): Promise<void> {
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

  function saveWhole(text: TextState, whole: string): Promise<void> {
    text.wholeAt = round
    return store.saveOpenText(text.session.sessionId, snapshotOf(text, whole))
  }

  /** Texts without a new piece for long: the store would have to keep the pieces of all others since then. */
  function quietTexts(taken: readonly TextState[]): readonly TextState[] {
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

  /** Called for every token: allocates nothing while the text waits. */
  function append(text: TextState, piece: string): void {
    text.pending += piece
    if (text.isWaiting) return
    text.isWaiting = true
    text.session.unflushed += 1
    texts.add(text)
    waiting.push(text)
    schedule(dueOf(text.session.shownAt))
  }

  function open(session: SessionTexts, message: OpenMessage, growing: GrowingText): OpenText {
    const { agent, messageId, kind } = message
    // Spelled out: objects made by spreading are slower to read, and each token reads this one.
    const text: TextState = {
      session,
      agent,
      messageId,
      kind,
      growing,
      pending: '',
      isWaiting: false,
      hasBegun: false,
      shown: null,
      wholeAt: null,
    }
    return {
      agent,
      messageId,
      kind,
      append: (piece) => append(text, piece),
      leave: () => void texts.delete(text),
      snapshot: () => (text.shown === null ? null : snapshotOf(text, text.shown)),
    }
  }

  return {
    openSession(sessionId, onFailure) {
      const session: SessionTexts = { sessionId, shownAt: Number.NEGATIVE_INFINITY, unflushed: 0, onFailure }
      return {
        open: (message, growing) => open(session, message, growing),
        isFlushed: () => session.unflushed === 0,
        async flush() {
          while (session.unflushed > 0) await (saving ?? run())
        },
      }
    },
  }
}

/** One text in one round. */
interface Step {
  readonly text: TextState
  readonly piece: string
  readonly whole: string
  /** The piece can be shown alone. */
  readonly isNext: boolean
  readonly isWhole: boolean
}

const snapshotOf = ({ agent, messageId, kind }: OpenMessage, text: string): AgentStreamSnapshot => ({
  type: 'AgentStreamSnapshot',
  agent,
  data: { text, messageId, kind },
})
