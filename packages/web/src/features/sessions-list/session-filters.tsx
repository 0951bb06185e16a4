import { AgentName, SessionStatus } from '@quarterdeck/protocol'
import { Button } from '../../ui/button.tsx'
import { stateWords } from '../../ui/state-words.ts'

export interface SessionFilter {
  readonly status?: SessionStatus | undefined
  readonly agent?: AgentName | undefined
}

interface SessionFiltersProps {
  readonly filter: SessionFilter
  readonly agents: readonly string[]
  readonly onChange: (filter: SessionFilter) => void
}

/** States that can be looked for: those on the way to another are over before the list is read. */
const statuses = SessionStatus.options.filter((status) => !status.endsWith('ing') || status === 'running')

export function SessionFilters({ filter, agents, onChange }: SessionFiltersProps) {
  const hasFilter = filter.status !== undefined || filter.agent !== undefined
  return (
    <div className="row">
      {hasFilter && (
        <Button look={['s', 'quiet']} onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
      <select
        className="field"
        aria-label="State"
        value={filter.status ?? ''}
        onChange={(event) => onChange({ ...filter, status: SessionStatus.safeParse(event.target.value).data })}
      >
        <option value="">Every state</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {stateWords[status]}
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
    </div>
  )
}
