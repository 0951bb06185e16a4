import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'

interface DataPaneProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  /** A suggested question was chosen: it goes into the ask box. */
  readonly onAsk: (question: string) => void
  readonly onProfile: (table: string) => void
}

/** The left pane of an analysis: an `aside` that fills its place. Dialogs and the drop target lie over the whole page. */
export function DataPane(_props: DataPaneProps) {
  return <aside className="pane data" aria-label="Data" />
}
