// Text while it is being written. Deltas are merged for a moment, saved, and only then shown: what a person saw on the
// screen is on disk, and a crash can put it into the log.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Redactor } from '../redaction/redact.ts'
import type { EventStore } from '../store/event-store.ts'
import { type DeskSession, type DeskText, snapshotOf, type TextDesk } from './text-desk.ts'

export type TextKind = AgentStreamToken['data']['kind']

export interface TokenStream {
  push(token: AgentStreamToken): void
  /** Everything pushed so far is saved and shown. Call before a durable event that must come after it. */
  flush(): Promise<void>
  /** The log has this part of the message: what was saved of it went with the event. */
  close(messageId: string, kind: TextKind): void
  /** Nothing in the log takes its place. */
  giveUp(messageId: string, kind: TextKind): Promise<void>
  /** What has been shown of every open message. */
  openTexts(): readonly AgentStreamSnapshot[]
}

export interface TokenStreamOptions {
  readonly sessionId: SessionId
  readonly store: Pick<EventStore, 'dropOpenText'>
  readonly desk: TextDesk
  /** A secret can arrive in pieces. */
  readonly redactor: Pick<Redactor, 'growing'>
}

export function createTokenStream({ sessionId, store, desk, redactor }: TokenStreamOptions): TokenStream {
  const texts = new Map<string, DeskText>()
  /** The one that is being written: most tokens are its. */
  let latest: DeskText | null = null
  /** A save that failed behind a timer: told to the next who awaits `flush`. */
  let failure: { readonly error: unknown } | null = null
  const session: DeskSession = {
    sessionId,
    shownAt: Number.NEGATIVE_INFINITY,
    unsettled: 0,
    onFailure(error) {
      failure ??= { error }
    },
  }

  function textOf({ agent, data: { messageId, kind } }: AgentStreamToken): DeskText {
    if (latest?.messageId === messageId && latest.kind === kind) return latest
    const key = `${kind}:${messageId}`
    const text = texts.get(key) ?? {
      ...{ session, agent, messageId, kind, growing: redactor.growing() },
      ...{ pending: '', isWaiting: false, hasBegun: false, shown: null, wholeAt: null },
    }
    texts.set(key, text)
    latest = text
    return text
  }

  function close(messageId: string, kind: TextKind): void {
    const key = `${kind}:${messageId}`
    const text = texts.get(key)
    if (text !== undefined) desk.leave(text)
    if (text === latest) latest = null
    texts.delete(key)
  }

  return {
    push(token) {
      const text = textOf(token)
      text.pending += token.data.text
      desk.submit(text)
    },
    async flush() {
      if (session.unsettled > 0) await desk.settle(session)
      if (failure === null) return
      const { error } = failure
      failure = null
      throw error
    },
    close,
    async giveUp(messageId, kind) {
      close(messageId, kind)
      await store.dropOpenText(sessionId, messageId, kind)
    },
    openTexts: () => [...texts.values()].flatMap((text) => (text.shown === null ? [] : [snapshotOf(text, text.shown)])),
  }
}
