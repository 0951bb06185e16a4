// Text in progress. Deltas are merged briefly, saved, and only then shown: all text that a person saw is on disk, and
// recovery can log it after a crash.
import type { AgentStreamSnapshot, AgentStreamToken, SessionId } from '@quarterdeck/protocol'
import type { Redactor } from '../../redaction/redact.ts'
import type { EventStore } from '../../store/ports/event-store.ts'
import type { TextInProgress } from '../../store/ports/settled-texts.ts'
import type { OpenText, OpenTextWriter } from './open-text-writer.ts'

export type TokenStream = ReturnType<typeof createTokenStream>

export interface TokenStreamOptions {
  readonly sessionId: SessionId
  readonly store: Pick<EventStore, 'dropOpenText'>
  readonly openTextWriter: OpenTextWriter
  /** A secret can arrive in pieces. */
  readonly redactor: Pick<Redactor, 'growing'>
}

export function createTokenStream({ sessionId, store, openTextWriter, redactor }: TokenStreamOptions) {
  const texts = new Map<string, OpenText>()
  /** The last text used: most tokens belong to it. */
  let latest: OpenText | null = null
  /** A failed background save, thrown by the next `flush`. */
  let failure: { readonly error: unknown } | null = null
  const session = openTextWriter.openSession(sessionId, (error) => {
    failure ??= { error }
  })

  function textOf({ agent, data: { messageId, kind } }: AgentStreamToken): OpenText {
    if (latest?.messageId === messageId && latest.kind === kind) return latest
    const key = keyOf({ messageId, kind })
    const text = texts.get(key) ?? session.open({ agent, messageId, kind }, redactor.growing())
    texts.set(key, text)
    latest = text
    return text
  }

  const stopWriting = (part: TextInProgress): void => texts.get(keyOf(part))?.leave()

  /** The log has this text. */
  function close(part: TextInProgress): void {
    stopWriting(part)
    if (texts.get(keyOf(part)) === latest) latest = null
    texts.delete(keyOf(part))
  }

  /** Resolves when everything pushed so far is saved and shown. Call before a durable event that must come after it. */
  async function flush(): Promise<void> {
    if (!session.isFlushed()) await session.flush()
    if (failure === null) return
    const { error } = failure
    failure = null
    throw error
  }

  return {
    push: (token: AgentStreamToken): void => textOf(token).append(token.data.text),
    flush,
    /**
     * As `flush`, and stops saving these texts. Call before the event that replaces them: the append deletes the saved
     * text, and it must not be saved again afterwards.
     */
    settle(parts: readonly TextInProgress[]): Promise<void> {
      for (const part of parts) stopWriting(part)
      return flush()
    },
    close,
    /** No event replaces this text. */
    async giveUp(part: TextInProgress): Promise<void> {
      close(part)
      await store.dropOpenText(sessionId, part.messageId, part.kind)
    },
    /** The shown text of every open message. */
    openTexts: (): readonly AgentStreamSnapshot[] => [...texts.values()].flatMap((text) => text.snapshot() ?? []),
  }
}

const keyOf = ({ messageId, kind }: TextInProgress): string => `${kind}:${messageId}`
