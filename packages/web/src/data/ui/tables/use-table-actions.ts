import { useState } from 'react'
import type { TableActions } from './table-menu.tsx'

export interface AskedOfTable {
  readonly kind: 'rename' | 'remove'
  readonly table: string
}

export interface UsedTableActions {
  readonly actions: TableActions
  /** The open dialog; `TableDialogs` shows it. */
  readonly asked: AskedOfTable | null
  close(): void
}

/** Actions on a table, some with a confirmation. */
export function useTableActions(others: Omit<TableActions, 'onRename' | 'onRemove'>): UsedTableActions {
  const [asked, setAsked] = useState<AskedOfTable | null>(null)
  return {
    actions: {
      ...others,
      onRename: (table) => setAsked({ kind: 'rename', table }),
      onRemove: (table) => setAsked({ kind: 'remove', table }),
    },
    asked,
    close: () => setAsked(null),
  }
}
