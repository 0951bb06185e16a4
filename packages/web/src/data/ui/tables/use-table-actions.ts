import { useState } from 'react'
import type { TableActions } from './table-menu.tsx'

/** Actions on a table, some with a confirmation. */
export function useTableActions(others: Omit<TableActions, 'onRename' | 'onRemove'>) {
  const [asked, setAsked] = useState<{ readonly kind: 'rename' | 'remove'; readonly table: string } | null>(null)
  return {
    actions: {
      ...others,
      onRename: (table: string) => setAsked({ kind: 'rename', table }),
      onRemove: (table: string) => setAsked({ kind: 'remove', table }),
    },
    /** The open dialog; `TableDialogs` shows it. */
    asked,
    close: () => setAsked(null),
  }
}
