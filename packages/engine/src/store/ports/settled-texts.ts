import type { AgentStreamSnapshot, EventDraft, SessionEvent } from '@quarterdeck/protocol'

export type TextKind = AgentStreamSnapshot['data']['kind']

/** A part of a message whose text may be in progress. */
export interface TextInProgress {
  readonly messageId: string
  readonly kind: TextKind
}

/** The texts in progress that this event replaces. */
export function settledTexts({ type, data }: EventDraft | SessionEvent): readonly TextInProgress[] {
  switch (type) {
    case 'AgentThought':
    case 'SubagentThought':
      return [{ messageId: data.messageId, kind: 'text' }]
    case 'AgentThinking':
      return [{ messageId: data.messageId, kind: 'thinking' }]
    case 'AgentStreamDiscarded':
      return [
        { messageId: data.messageId, kind: 'text' },
        { messageId: data.messageId, kind: 'thinking' },
      ]
    default:
      return []
  }
}
