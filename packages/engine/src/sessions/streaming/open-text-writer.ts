// Where the texts of all sessions of this process are saved and then shown, many in one write: a write for each text and
// piece is what most of the time of a busy server would go into.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../../ports/bus.ts'
import type { GrowingText } from '../../redaction/growing-text.ts'
import type { EventStore, TextPiece } from '../../store/ports/event-store.ts'

/** Whose texts they are. */
export interface OpenTextSession {
  readonly sessionId: SessionId
  /** When it was shown something last. */
  shownAt: number
  /** So many of its texts wait or are being saved. */
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
  /** Came since the last round. */
  pending: string
  isWaiting: boolean
  /** Some of it has been here before, saved or not. */
  hasBegun: boolean
  /** `null` until it was shown. */
  shown: string | null
  /** The round in which it was saved whole; `null` when the store does not have all of it. */
  wholeAt: number | null
}

export interface OpenTextWriter {
  /** Saves and shows soon what is pending of this text. */
  submit(text: OpenText): void
  /** Saves and shows at once what is pending of a session. What failed is told to its `onFailure`. */
  settle(session: OpenTextSession): Promise<void>
  /** Nothing of it is saved any more but what is pending or under way. */
  leave(text: OpenText): void
}

export interface OpenTextWriterOptions {
  readonly store: EventStore
  readonly bus: Bus
  /** What a session is shown is gathered for so long. */
  readonly windowMs: number
}

/** Beyond that a person sees it come in lumps. */
const longestWindowMs = 500
/** Saving takes at most one part in so many of the time, until rounds are a window apart. */
const restPerSave = 4
/** Texts are saved whole from time to time, so that their pieces can be forgotten. */
const roundsPerWhole = 200

export function createOpenTextWriter({ store, bus, windowMs }: OpenTextWriterOptions): OpenTextWriter {
  const texts = new Set<OpenText>()
  let waiting: OpenText[] = []
  let timer: NodeJS.Timeout | null = null
  let dueAt = Number.POSITIVE_INFINITY
  let saving: Promise<void> | null = null
  let round = 0
  let lastRoundAt = Number.NEGATIVE_INFINITY
  /** How long the last round took. */
  let savingMs = 0

  /**
   * Only what comes faster than one piece per window is merged: the rest is shown at once. On a machine that is behind
   * with its saves the window grows with them, so that it has fewer to do and catches up.
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
    // After a failure nobody has seen what is in between.
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

  /** Those nothing was added to for long: the pieces of all others since then would have to be kept for them. */
  function quietTexts(taken: readonly OpenText[]): readonly OpenText[] {
    const busy = new Set(taken)
    return [...texts].filter(
      (text) => !busy.has(text) && text.shown !== null && round - (text.wholeAt ?? round) > roundsPerWhole,
    )
  }

  function show({ text, piece, whole, isNext }: Step): void {
    text.shown = whole
    const { agent, messageId, kind } = text
    // What was removed may reach back into what was shown: then the text is sent anew rather than added to.
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

/** What becomes of a text in one round. */
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
