import type { Analysis } from '../analysis/analysis.ts'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { NothingKept } from '../features/data-tables/nothing-kept.tsx'
import { useStore } from '../hooks/use-store.ts'
import { Button } from '../ui/button.tsx'

interface AskNoticesProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  readonly analysis: Analysis
}

/** What a person should know before they ask: the engine, another tab, a browser that keeps nothing, other files under known names. */
export function AskNotices({ workspace, open, analysis }: AskNoticesProps) {
  const { status } = useStore(workspace.engine)
  const { isLasting, tables } = useStore(workspace.tables)
  const isLeader = useStore(open.isLeader)
  const { unkept } = useStore(workspace.analyses)
  const others = analysis.tables.filter(({ name, fingerprint }) => {
    const now = tables?.find((table) => table.name === name)
    return now !== undefined && now.source.fingerprint !== fingerprint
  })
  return (
    <>
      {status === 'failed' && (
        <div className="status-line minus">
          <span role="alert">
            The database of this page did not start.
            {isLasting && ' Your files and everything asked so far are kept.'}
          </span>
          <Button look={['s']} onClick={() => void workspace.start().catch(() => undefined)}>
            Start it again
          </Button>
        </div>
      )}
      {!hasLocks() && (
        <div className="status-line muted">
          This browser cannot keep two tabs apart here: have this analysis open in one tab only.
        </div>
      )}
      {!isLeader && <div className="status-line">Another tab runs this analysis; what you do here is done there.</div>}
      {isLasting === false && <NothingKept />}
      {unkept.includes(analysis.id) && (
        <div className="status-line" role="status">
          The browser has no space left: what is new in this analysis is here until you leave the page.
        </div>
      )}
      {others.length > 0 && (
        <div className="status-line">
          {others.map(({ name }) => name).join(', ')}: another file than the one the answers so far are about.
        </div>
      )}
    </>
  )
}

/** Missing on pages that are not served securely: then every tab runs the analysis. */
const hasLocks = (): boolean => 'locks' in navigator && navigator.locks !== undefined
