// Text while it is being written. Deltas are merged for a moment, saved, and only then shown: what a person saw on the
// screen is on disk, and a crash can put it into the log.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Bus } from '../bus.ts'
import type { EventStore } from '../store/event-store.ts'

export type TextKind = AgentStreamToken['data']['kind']

export interface TokenStream {
  push(token: AgentStreamToken): void
  /** Everything pushed so far is saved and shown. Call before a durable event that must come after it. */
  flush(): Promise<void>
  /** This part of the message is complete, or given up: its text in progress is no longer needed. */
  close(messageId: string, kind: TextKind): Promise<void>
  /** What has been shown of every open message. */
  openTexts(): readonly AgentStreamSnapshot[]
}

export interface TokenStreamOptions {
  readonly sessionId: SessionId
  readonly store: EventStore
  readonly bus: Bus
  readonly windowMs: number
  /** A secret can arrive in pieces, so the whole text is looked at each time. */
  readonly redact: (text: string) => string
}

/** Beyond that a person sees it come in lumps. */
const longestWindowMs = 500

export function createTokenStream(options: TokenStreamOptions): TokenStream {
  const { sessionId, store, bus, windowMs, redact } = options
  const shown = new Map<string, AgentStreamSnapshot>()
  const received = new Map<string, string>()
  let pending: AgentStreamToken[] = []
  let timer: NodeJS.Timeout | null = null
  let flushing: Promise<void> = Promise.resolve()
  /** A save that failed behind a timer: told to the next who awaits `flush`. */
  let failure: { readonly error: unknown } | null = null
  const keepFailure = (error: unknown) => {
    failure ??= { error }
  }
  let lastFlushAt = Number.NEGATIVE_INFINITY
  /** How long the last save took. */
  let savingMs = 0

  /**
   * Only what comes faster than one piece per window is merged: the rest is shown at once. On a machine that is behind
   * with its saves the window grows with them, so that it has fewer to do and catches up.
   */
  const delayMs = () => {
    const window = Math.max(windowMs, Math.min(longestWindowMs, savingMs * 2))
    return Math.max(0, lastFlushAt + window - performance.now())
  }

  async function show(tokens: readonly AgentStreamToken[]): Promise<void> {
    for (const token of tokens) {
      const key = `${token.data.kind}:${token.data.messageId}`
      const whole = (received.get(key) ?? '') + token.data.text
      const before = shown.get(key)?.data.text ?? ''
      const text = redact(whole)
      const snapshot: AgentStreamSnapshot = { ...token, type: 'AgentStreamSnapshot', data: { ...token.data, text } }
      await store.saveOpenText(sessionId, snapshot)
      received.set(key, whole)
      shown.set(key, snapshot)
      // What was removed may reach back into what was shown: then the text is sent anew rather than added to.
      bus.publish(sessionId, [text === before + token.data.text ? token : snapshot])
    }
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (pending.length > 0) lastFlushAt = performance.now()
    const tokens = pending
    pending = []
    const startedAt = performance.now()
    const done = flushing.then(() => show(tokens)).finally(() => (savingMs = performance.now() - startedAt))
    // One failed save must not fail every later one: whoever asked for this flush hears of it, the chain goes on.
    flushing = done.catch(() => undefined)
    return done
  }

  async function flushAll(): Promise<void> {
    await flush()
    if (failure === null) return
    const { error } = failure
    failure = null
    throw error
  }

  return {
    push(token) {
      const last = pending.at(-1)
      if (last?.data.messageId === token.data.messageId && last.data.kind === token.data.kind) {
        pending[pending.length - 1] = { ...last, data: { ...last.data, text: last.data.text + token.data.text } }
      } else {
        pending.push(token)
      }
      timer ??= setTimeout(() => flush().catch(keepFailure), delayMs())
    },
    flush: flushAll,
    async close(messageId, kind) {
      shown.delete(`${kind}:${messageId}`)
      received.delete(`${kind}:${messageId}`)
      await store.dropOpenText(sessionId, messageId, kind)
    },
    openTexts: () => [...shown.values()],
  }
}
