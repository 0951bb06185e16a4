import type { AgentStreamSnapshot, SessionId } from '@quarterdeck/protocol'
import type { TextPiece } from '../ports/event-store.ts'
import type { TextInProgress, TextKind } from '../ports/settled-texts.ts'

/** Texts by session, then by message and kind. A map keeps the order in which they were opened. */
export function createMemoryOpenTexts() {
  const sessions = new Map<SessionId, Map<string, AgentStreamSnapshot>>()
  const keyOf = (messageId: string, kind: TextKind) => `${kind}:${messageId}`
  return {
    save(sessionId: SessionId, text: AgentStreamSnapshot): void {
      const texts = sessions.get(sessionId) ?? new Map<string, AgentStreamSnapshot>()
      sessions.set(sessionId, texts.set(keyOf(text.data.messageId, text.data.kind), text))
    },
    add({ sessionId, messageId, kind, text }: TextPiece): void {
      const texts = sessions.get(sessionId)
      const before = texts?.get(keyOf(messageId, kind))
      if (before === undefined) return
      const data = { ...before.data, text: before.data.text + text }
      texts?.set(keyOf(messageId, kind), { ...before, data })
    },
    of: (sessionId: SessionId): readonly AgentStreamSnapshot[] => [...(sessions.get(sessionId)?.values() ?? [])],
    dropAll: (sessionId: SessionId): boolean => sessions.delete(sessionId),
    drop: (sessionId: SessionId, { messageId, kind }: TextInProgress): void =>
      void sessions.get(sessionId)?.delete(keyOf(messageId, kind)),
  }
}
