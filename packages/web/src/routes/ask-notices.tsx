import type { Analysis } from '../analysis/analysis.ts'
import type { OpenAnalysis, Workspace } from '../analysis/workspace.ts'
import { useStore } from '../hooks/use-store.ts'
import { Button } from '../ui/button.tsx'
import { ErrorCard } from '../ui/error-card.tsx'
import { formatBytes } from '../ui/format-bytes.ts'
import { StateLabel } from '../ui/state-label.tsx'

interface AskNoticesProps {
  readonly workspace: Workspace
  readonly open: OpenAnalysis
  readonly analysis: Analysis
}

/** What a person should know before they ask: the engine, another tab, other files under known names. */
export function AskNotices({ workspace, open, analysis }: AskNoticesProps) {
  const { status, progress, failure } = useStore(workspace.engine)
  const { tables } = useStore(workspace.tables)
  const isLeader = useStore(open.isLeader)
  const others = analysis.tables.filter(({ name, fingerprint }) => {
    const now = tables?.find((table) => table.name === name)
    return now !== undefined && now.source.fingerprint !== fingerprint
  })
  return (
    <>
      {status === 'failed' && (
        <ErrorCard
          what="The database of this page did not start"
          detail={failure?.message ?? ''}
          kept="your files and everything asked so far."
        >
          <Button look={['s']} onClick={() => void workspace.start().catch(() => undefined)}>
            Start it again
          </Button>
        </ErrorCard>
      )}
      {status === 'loading' && (
        <div className="status-line" role="status">
          <StateLabel state="running" words="Starting the database" />
          {progress !== null && progress.bytesTotal !== null && (
            <span aria-hidden="true">
              {formatBytes(progress.bytesLoaded)} of {formatBytes(progress.bytesTotal)}
            </span>
          )}
        </div>
      )}
      {!isLeader && <div className="status-line">Another tab runs this analysis; what you do here is done there.</div>}
      {others.length > 0 && (
        <div className="status-line">
          {others.map(({ name }) => name).join(', ')}: another file than the one the answers so far are about.
        </div>
      )}
    </>
  )
}
