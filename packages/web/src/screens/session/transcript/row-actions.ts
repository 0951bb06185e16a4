import type { ApprovalItem, QuestionEntry, TextItem, UserItem } from '@quarterdeck/protocol'
import type { ReactNode } from 'react'

/** Callbacks of rows. `onShowAgent` and `onMessage` stay the same functions while the page shows one session. */
export interface RowActions {
  readonly renderAsk: (item: ApprovalItem | QuestionEntry) => ReactNode
  readonly onShowAgent: (key: string) => void
  readonly onMessage: (action: 'fork' | 'rewind', item: UserItem | TextItem) => void
}
