import { useState } from 'react'
import type { TableActs } from './table-menu.tsx'

export interface AskedOfTable {
  readonly kind: 'rename' | 'remove'
  readonly table: string
}

export interface UsedTableActs {
  readonly acts: TableActs
  /** What a dialog asks now; `TableDialogs` shows it. */
  readonly asked: AskedOfTable | null
  close(): void
}

/** What can be done with a table: some of it after a word. */
export function useTableActs(others: Omit<TableActs, 'onRename' | 'onRemove'>): UsedTableActs {
  const [asked, setAsked] = useState<AskedOfTable | null>(null)
  return {
    acts: {
      ...others,
      onRename: (table) => setAsked({ kind: 'rename', table }),
      onRemove: (table) => setAsked({ kind: 'remove', table }),
    },
    asked,
    close: () => setAsked(null),
  }
}
