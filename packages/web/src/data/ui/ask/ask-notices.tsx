import { useStore } from '../../../hooks/use-store.ts'
import type { Analysis } from '../../domain/analysis.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'
import { SmallButton } from '../controls/small-button.tsx'

interface AskNoticesProps {
  readonly services: DataServices
  readonly open: OpenAnalysis
  readonly analysis: Analysis
}

/** Notices before asking: the engine, another tab, a browser without storage, replaced files. */
export function AskNotices({ services, open, analysis }: AskNoticesProps) {
  const { status } = useStore(services.engine)
  const { isLasting, tables } = useStore(services.tables)
  const isLeader = useStore(open.isLeader)
  const { unsaved } = useStore(services.analyses)
  const others = analysis.tables.filter(({ name, fingerprint }) => {
    const now = tables?.find((table) => table.name === name)
    return now !== undefined && now.source.fingerprint !== fingerprint
  })
  return (
    <>
      {status === 'failed' && (
        <div className="status-line failure">
          <span role="alert">
            The database of this page did not start.
            {isLasting && ' Your files and questions are safe.'}
          </span>
          <SmallButton onClick={() => void services.start().catch(() => undefined)}>Restart it</SmallButton>
        </div>
      )}
      {!hasLocks() && (
        <div className="status-line muted">
          This browser cannot coordinate several tabs. Open this analysis in one tab only.
        </div>
      )}
      {!isLeader && (
        <div className="status-line">Another tab runs this analysis. Your actions here are sent to it.</div>
      )}
      {isLasting === false && <NoStorageNotice />}
      {unsaved.includes(analysis.id) && (
        <div className="status-line" role="status">
          The browser has no space left. New content of this analysis is lost when you close the page.
        </div>
      )}
      {others.length > 0 && (
        <div className="status-line">
          {others.map(({ name }) => name).join(', ')}: replaced by a different file since the earlier answers.
        </div>
      )}
    </>
  )
}

/** Missing on insecure pages: then every tab runs the analysis. */
const hasLocks = (): boolean => 'locks' in navigator && navigator.locks !== undefined
