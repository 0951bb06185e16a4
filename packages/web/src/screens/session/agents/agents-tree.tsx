import { formatSpent } from '@quarterdeck/protocol'
import { type CSSProperties, useMemo } from 'react'
import { formatClock } from '../../../components/format/format-time.ts'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import { stateLabels } from '../../../components/status/state-labels.ts'
import { useNow } from '../../../hooks/use-now.ts'
import type { SessionProjection } from '../../../stores/session/session-projection.ts'
import { type AgentRow, agentRows } from '../../../stores/transcript/agent-rows.ts'

interface AgentsTreeProps {
  readonly projection: SessionProjection
  readonly selected: string
  readonly onSelect: (key: string) => void
}

export function AgentsTree({ projection, selected, onSelect }: AgentsTreeProps) {
  const { session, tree, costs } = projection
  const rows = useMemo(() => agentRows(session, tree, costs), [session, tree, costs])
  const now = useNow()
  const active = rows.filter((row) => row.isActive).length
  return (
    <aside className="pane agents" aria-label="Agents">
      <div className="pane-head">
        <h2 className="label grow">Agents</h2>
        <span className="muted num">
          {active} of {rows.length} active
        </span>
      </div>
      <ul className="tree scroll">
        {rows.map((row) => (
          <li key={row.key}>
            <Node row={row} now={now} isSelected={row.key === selected} onSelect={() => onSelect(row.key)} />
          </li>
        ))}
      </ul>
    </aside>
  )
}

interface NodeProps {
  readonly row: AgentRow
  readonly now: number
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Node({ row, now, isSelected, onSelect }: NodeProps) {
  const elapsed = (row.endedAt === null ? now : Date.parse(row.endedAt)) - Date.parse(row.startedAt)
  return (
    <button
      type="button"
      className="plain node"
      style={levels({ '--d': row.depth })}
      aria-pressed={isSelected}
      data-agent={row.name}
      onClick={onSelect}
    >
      {row.depth > 0 && <span className="elbow" aria-hidden="true" />}
      {row.trunks.map((level) => (
        <span key={level} className="trunk" style={levels({ '--t': level })} aria-hidden="true" />
      ))}
      {row.hasChildren && <span className="trunk first" style={levels({ '--t': row.depth })} aria-hidden="true" />}
      <span className="g">
        <StateGlyph state={row.state} />
        <span className="visually-hidden">{stateLabels[row.state]}</span>
      </span>
      <span className="grow">
        <span className="row">
          <b className="ellipsis">{row.name}</b>
          <span className="cost num">{row.costUsd > 0 || row.hasUnpricedUsage ? formatSpent(row) : '–'}</span>
        </span>
        <span className="row caption">
          <span className="ellipsis grow">{row.activity}</span>
          <span className="num">{formatClock(elapsed)}</span>
        </span>
      </span>
    </button>
  )
}

const levels = (values: Readonly<Record<`--${string}`, number>>): CSSProperties => values as CSSProperties // React has no type for custom properties
