import { AgentName, SessionStatus } from '@quarterdeck/protocol'
import { Button } from '../../components/controls/button.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'
import { TextFilter } from './text-filter.tsx'

export interface SessionFilter {
  readonly status?: SessionStatus | undefined
  readonly agent?: AgentName | undefined
  /** Part of the title. */
  readonly text?: string | undefined
  /** `true` shows archived sessions only, `all` shows both. */
  readonly archived?: 'true' | 'all' | undefined
}

export const hasFilter = (filter: SessionFilter): boolean => Object.values(filter).some((value) => value !== undefined)

interface SessionFiltersProps {
  readonly filter: SessionFilter
  readonly agents: readonly string[]
  readonly onChange: (filter: SessionFilter) => void
}

/** The states to filter by. Transitional states are left out, because they end before the list is loaded. */
const statuses = SessionStatus.options.filter((status) => !status.endsWith('ing') || status === 'running')

export function SessionFilters({ filter, agents, onChange }: SessionFiltersProps) {
  return (
    <div className="row filters">
      {hasFilter(filter) && (
        <Button variant={['s', 'quiet']} onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
      <TextFilter text={filter.text ?? ''} onChange={(text) => onChange({ ...filter, text: text || undefined })} />
      <select
        className="field"
        aria-label="State"
        value={filter.status ?? ''}
        onChange={(event) => onChange({ ...filter, status: SessionStatus.safeParse(event.target.value).data })}
      >
        <option value="">Every state</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {stateLabels[status]}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Agent"
        value={filter.agent ?? ''}
        onChange={(event) => onChange({ ...filter, agent: AgentName.safeParse(event.target.value).data })}
      >
        <option value="">Every agent</option>
        {agents.map((agent) => (
          <option key={agent} value={agent}>
            {agent}
          </option>
        ))}
      </select>
      <select
        className="field"
        aria-label="Archive"
        value={filter.archived ?? ''}
        onChange={(event) => onChange({ ...filter, archived: archivedOf(event.target.value) })}
      >
        <option value="">Not archived</option>
        <option value="true">Archived</option>
        <option value="all">Both</option>
      </select>
    </div>
  )
}

export const archivedOf = (value: unknown): SessionFilter['archived'] =>
  value === 'true' || value === 'all' ? value : undefined
