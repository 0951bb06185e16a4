import { visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { formatAge } from '../../components/format/format-time.ts'
import { StateGlyph } from '../../components/status/state-glyph.tsx'
import { stateLabels } from '../../components/status/state-labels.ts'
import type { AnalysisSummary } from '../../data/domain/data-services.ts'
import { useNow } from '../../hooks/use-now.ts'

/** An analysis that waits for the user. Its own page shows the rows and takes the decision. */
export function WaitingAnalysis({ analysis }: { readonly analysis: AnalysisSummary }) {
  const now = useNow(5000)
  const isApproval = analysis.lastAsk === 'rows'
  const state = isApproval ? 'waiting_approval' : 'waiting_user'
  const title = visibleText(analysis.title)
  const action = isApproval ? 'Review' : 'Answer'
  return (
    <div className="item">
      <span className="g">
        <StateGlyph state={state} />
      </span>
      <div className="grow">
        <div className="row">
          <h2 className="cut">
            <span className="unseen">{stateLabels[state]}: </span>
            {title}
          </h2>
          <span className="muted cut wide-only">Data</span>
        </div>
        <div className="what">{isApproval ? 'Wants to see rows of your files' : 'Asks you a question'}</div>
      </div>
      <div className="meta muted num">{formatAge(analysis.changedAt, now)}</div>
      <Link
        className="btn s"
        to="/data/$analysisId"
        params={{ analysisId: analysis.id }}
        aria-label={`${action}: ${title}`}
      >
        {action}
      </Link>
    </div>
  )
}
