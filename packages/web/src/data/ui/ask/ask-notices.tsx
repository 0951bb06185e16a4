import { Button } from '../../../components/controls/button.tsx'
import { useStore } from '../../../hooks/use-store.ts'
import type { Analysis } from '../../domain/analysis.ts'
import type { DataServices, OpenAnalysis } from '../../domain/data-services.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'

interface AskNoticesProps {
  readonly services: DataServices
  readonly open: OpenAnalysis
  readonly analysis: Analysis
}

/** What a person should know before they ask: the engine, another tab, a browser that keeps nothing, other files under known names. */
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
        <div className="status-line minus">
          <span role="alert">
            The database of this page did not start.
            {isLasting && ' Your files and everything asked so far are kept.'}
          </span>
          <Button variant={['s']} onClick={() => void services.start().catch(() => undefined)}>
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
      {isLasting === false && <NoStorageNotice />}
      {unsaved.includes(analysis.id) && (
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
