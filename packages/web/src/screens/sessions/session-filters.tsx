import { AgentName, SessionStatus } from '@quarterdeck/protocol'
import { useEffect, useState } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { Select } from '../../components/controls/select.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'

export interface SessionsSearch {
  readonly status?: SessionStatus | undefined
  readonly agent?: AgentName | undefined
  /** Part of the title. */
  readonly text?: string | undefined
  /** `true` shows archived sessions only, `all` shows both. */
  readonly archived?: 'true' | 'all' | undefined
}

export const hasFilter = (search: SessionsSearch): boolean => Object.values(search).some((value) => value !== undefined)

interface SessionFiltersProps {
  readonly search: SessionsSearch
  readonly agents: readonly string[]
  readonly onChange: (search: SessionsSearch) => void
}

/** The states to filter by. Transitional states are left out, because they end before the list is loaded. */
const statuses = SessionStatus.options.filter((status) => !status.endsWith('ing') || status === 'running')
const statusOptions: Readonly<Record<string, string>> = {
  '': 'Every state',
  ...Object.fromEntries(statuses.map((status) => [status, stateLabels[status]])),
}

export function SessionFilters({ search, agents, onChange }: SessionFiltersProps) {
  return (
    <div className="row filters">
      {hasFilter(search) && (
        <Button variant={['s', 'quiet']} onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
      <TextFilter text={search.text ?? ''} onChange={(text) => onChange({ ...search, text: text || undefined })} />
      <Select
        aria-label="State"
        value={search.status ?? ''}
        options={statusOptions}
        onChange={(status) => onChange({ ...search, status: SessionStatus.safeParse(status).data })}
      />
      <Select
        aria-label="Agent"
        value={search.agent ?? ''}
        options={{ '': 'Every agent', ...Object.fromEntries(agents.map((agent) => [agent, agent])) }}
        onChange={(agent) => onChange({ ...search, agent: AgentName.safeParse(agent).data })}
      />
      <Select
        aria-label="Archive"
        value={search.archived ?? ''}
        options={{ '': 'Not archived', true: 'Archived', all: 'Both' }}
        onChange={(archived) => onChange({ ...search, archived: archivedOf(archived) })}
      />
    </div>
  )
}

export const archivedOf = (value: unknown): SessionsSearch['archived'] =>
  value === 'true' || value === 'all' ? value : undefined

const debounceMs = 300

/** Filters when the user stops typing, not for every letter. */
function TextFilter({ text, onChange }: { readonly text: string; readonly onChange: (text: string) => void }) {
  const [draft, setDraft] = useState(text)
  const [known, setKnown] = useState(text)
  // The text was cleared or changed by navigation: the address wins over the box.
  if (text !== known) {
    setKnown(text)
    if (text !== draft.trim()) setDraft(text)
  }
  useEffect(() => {
    const wanted = draft.trim()
    if (wanted === text) return
    const timer = setTimeout(() => onChange(wanted), debounceMs)
    return () => clearTimeout(timer)
  }, [draft, text, onChange])
  return (
    <input
      className="field search"
      type="search"
      aria-label="Title"
      placeholder="Part of the title"
      maxLength={200}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
    />
  )
}
