import { visibleText } from '@quarterdeck/protocol'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { KindIcon } from '../controls/kind-icon.tsx'
import type { GridColumn } from './grid-columns.ts'
import type { GridSort } from './sorted-order.ts'

interface GridHeadProps {
  readonly id: (column: number) => string
  readonly columns: readonly GridColumn[]
  readonly sort: GridSort | null
  /** The column whose header is selected, if any. */
  readonly active: number | null
  readonly onSort: (column: number) => void
}

export function GridHead({ id, columns, sort, active, onSort }: GridHeadProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ name, type, kind }, index) => {
          const order = sort?.column === index ? sort.direction : 'none'
          return (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may share a name, but not an index
              key={index}
              id={id(index)}
              scope="col"
              aria-sort={order}
              aria-colindex={index + 1}
              className={[kind === 'number' ? 'r' : '', active === index ? 'active' : ''].join(' ').trim()}
            >
              <button
                type="button"
                tabIndex={-1}
                title={`${visibleText(name)}, ${type.toLowerCase()}`}
                onClick={() => onSort(index)}
              >
                <KindIcon kind={kind} />
                <bdi className="ellipsis">{visibleText(name)}</bdi>
                {order === 'ascending' && <ArrowUp className="icon s" aria-hidden="true" />}
                {order === 'descending' && <ArrowDown className="icon s" aria-hidden="true" />}
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
