import { Braces, Calendar, Clock, Hash, type LucideIcon, ToggleLeft, Type } from 'lucide-react'
import type { ColumnKind } from '../../domain/cells.ts'

const icons: Readonly<Record<ColumnKind, LucideIcon>> = {
  number: Hash,
  text: Type,
  date: Calendar,
  time: Clock,
  'yes-no': ToggleLeft,
  other: Braces,
}

/** The kind of a column's values. Always shown beside the column name. */
export function KindIcon({ kind }: { readonly kind: ColumnKind }) {
  const Icon = icons[kind]
  return <Icon className="icon s" role="img" aria-label={kind} />
}
