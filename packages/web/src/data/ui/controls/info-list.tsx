import './info-list.css'
import { visibleText } from '@quarterdeck/protocol'
import { Info } from 'lucide-react'

interface InfoListProps {
  readonly items: readonly string[]
  readonly className: string
  readonly label?: string
}

/** Remarks, one per line. Shows nothing if there are none. */
export function InfoList({ items, className, label }: InfoListProps) {
  if (items.length === 0) return null
  return (
    <ul className={`${className} icon-list`} aria-label={label}>
      {items.map((item) => (
        <li key={item}>
          <Info className="icon s" aria-hidden="true" />
          <span>{visibleText(item)}</span>
        </li>
      ))}
    </ul>
  )
}
