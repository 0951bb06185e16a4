import { visibleText } from '@quarterdeck/protocol'
import { History } from 'lucide-react'
import { Menu } from '../../../components/controls/menu.tsx'
import type { RanQuery } from './sql-history.ts'

interface SqlHistoryProps {
  readonly history: readonly RanQuery[]
  readonly onChoose: (sql: string) => void
}

export function SqlHistory({ history, onChoose }: SqlHistoryProps) {
  if (history.length === 0) return null
  return (
    <div className="history-menu">
      <Menu label="Earlier queries" icon={<History className="icon" aria-hidden="true" />}>
        {(choose) =>
          history.map(({ sql, at }) => (
            <button type="button" key={at + sql} onClick={choose(() => onChoose(sql))}>
              <code className="cut">{visibleText(sql.replaceAll(/\s+/g, ' ').slice(0, 120))}</code>
              <small>{new Date(at).toLocaleString('en-GB')}</small>
            </button>
          ))
        }
      </Menu>
    </div>
  )
}
