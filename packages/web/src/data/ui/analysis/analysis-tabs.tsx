import type { ReactNode } from 'react'
import type { AnalysisTab } from '../analysis-search.ts'

interface AnalysisTabsProps {
  readonly tab: AnalysisTab
  /** On narrow screens the left pane is a tab as well. */
  readonly isData: boolean
  readonly onTab: (tab: AnalysisTab) => void
  readonly onData: () => void
  readonly end: ReactNode
}

const tabs: readonly (readonly [tab: AnalysisTab, label: string])[] = [
  ['ask', 'Ask'],
  ['profile', 'Profile'],
  ['sql', 'SQL'],
  ['report', 'Report'],
]

export function AnalysisTabs({ tab, isData, onTab, onData, end }: AnalysisTabsProps) {
  return (
    <div className="row bar-top">
      <nav className="tabs" aria-label="Views of the analysis">
        <button type="button" className="data-tab" aria-current={isData || undefined} onClick={onData}>
          Data
        </button>
        {tabs.map(([name, label]) => (
          <button
            type="button"
            key={name}
            aria-current={(!isData && name === tab) || undefined}
            onClick={() => onTab(name)}
          >
            {label}
          </button>
        ))}
      </nav>
      <span className="grow" />
      {end}
    </div>
  )
}
