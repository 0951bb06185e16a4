import { visibleText } from '@quarterdeck/protocol'
import { Link2 } from 'lucide-react'
import type { JoinSuggestion } from '../../domain/table-profile.ts'

export function JoinLines({ joins }: { readonly joins: readonly JoinSuggestion[] }) {
  if (joins.length === 0) return null
  return (
    <ul className="joins" aria-label="Tables that can be joined">
      {joins.map(({ left, right, matchRate }) => {
        const [one, other] = [left, right].map(({ table, column }) => visibleText(`${table}.${column}`))
        return (
          <li key={`${one} ${other}`}>
            <Link2 className="icon s" aria-hidden="true" />
            <span>
              {one} joins {other}, <span className="num">{rate(matchRate)} % match</span>
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Rounds down, so that mismatches never disappear. */
const rate = (share: number): string => (share >= 1 ? '100' : String(Math.floor(share * 1000) / 10))
