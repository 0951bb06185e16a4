// Text while it is being written. Deltas are merged for a moment, saved, and only then shown: what a person saw on the
// screen is on disk, and a crash can put it into the log.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Redactor } from '../redaction/redact.ts'
import type { EventStore } from '../store/event-store.ts'
import type { TextPart } from '../store/settled-texts.ts'
import { type DeskSession, type DeskText, snapshotOf, type TextDesk } from './text-desk.ts'

export interface TokenStream {
  push(token: AgentStreamToken): void
  /** Everything pushed so far is saved and shown. Call before a durable event that must come after it. */
  flush(): Promise<void>
  /**
   * As `flush`, and nothing more is saved of these parts. Call before the event that takes their place: what was saved
   * goes with it, and must not come again behind it.
   */
  settle(parts: readonly TextPart[]): Promise<void>
  /** The log has this part. */
  close(part: TextPart): void
  /** Nothing in the log takes its place. */
  giveUp(part: TextPart): Promise<void>
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
    const key = keyOf({ messageId, kind })
    const text = texts.get(key) ?? {
      ...{ session, agent, messageId, kind, growing: redactor.growing() },
      ...{ pending: '', isWaiting: false, hasBegun: false, shown: null, wholeAt: null },
    }
    texts.set(key, text)
    latest = text
    return text
  }

  function leaveDesk(part: TextPart): void {
    const text = texts.get(keyOf(part))
    if (text !== undefined) desk.leave(text)
  }

  function close(part: TextPart): void {
    leaveDesk(part)
    if (texts.get(keyOf(part)) === latest) latest = null
    texts.delete(keyOf(part))
  }

  async function flush(): Promise<void> {
    if (session.unsettled > 0) await desk.settle(session)
    if (failure === null) return
    const { error } = failure
    failure = null
    throw error
  }

  return {
    push(token) {
      const text = textOf(token)
      text.pending += token.data.text
      desk.submit(text)
    },
    flush,
    settle(parts) {
      for (const part of parts) leaveDesk(part)
      return flush()
    },
    close,
    async giveUp(part) {
      close(part)
      await store.dropOpenText(sessionId, part.messageId, part.kind)
    },
    openTexts: () => [...texts.values()].flatMap((text) => (text.shown === null ? [] : [snapshotOf(text, text.shown)])),
  }
}

const keyOf = ({ messageId, kind }: TextPart): string => `${kind}:${messageId}`
