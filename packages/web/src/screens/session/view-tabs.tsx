export type SessionPane = 'transcript' | 'agents' | 'about'

interface ViewTabsProps {
  readonly pane: SessionPane
  readonly agents: number
  readonly onChange: (pane: SessionPane) => void
}

/** Switches panes on a narrow screen. */
export function ViewTabs({ pane, agents, onChange }: ViewTabsProps) {
  return (
    <nav className="tabs views" aria-label="Views">
      <button type="button" aria-current={pane === 'transcript'} onClick={() => onChange('transcript')}>
        Transcript
      </button>
      <button type="button" aria-current={pane === 'agents'} onClick={() => onChange('agents')}>
        Agents <span className="count">{agents}</span>
      </button>
      <button type="button" aria-current={pane === 'about'} onClick={() => onChange('about')}>
        About
      </button>
    </nav>
  )
}
