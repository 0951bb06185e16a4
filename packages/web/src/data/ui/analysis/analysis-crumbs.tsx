import { visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/controls/button.tsx'
import { RenameForm } from '../../../components/controls/rename-form.tsx'
import { formatMoment } from '../../../components/format/format-time.ts'
import { useStore } from '../../../hooks/use-store.ts'
import type { Analysis } from '../../domain/analysis.ts'
import { useDataServices } from '../use-data-services.ts'

interface AnalysisCrumbsProps {
  readonly analysis: Analysis
  /** Why the last title was refused. */
  readonly problem: string | null
  readonly onTitle: (title: string) => void
}

/** The breadcrumbs, with an editable title. */
export function AnalysisCrumbs({ analysis, problem, onTitle }: AnalysisCrumbsProps) {
  const [isRenaming, setRenaming] = useState(false)
  const services = useDataServices()
  const { isLasting } = useStore(services.tables)
  const { unsaved } = useStore(services.analyses)
  const isKept = isLasting !== false && !unsaved.includes(analysis.id)
  const title = visibleText(analysis.title)
  const rename = async (next: string) => {
    onTitle(next)
    return true // the error is shown beside the title
  }
  return (
    <>
      <Link className="narrow-only" to="/data" aria-label="Back to Data">
        <ChevronLeft className="icon" aria-hidden="true" />
      </Link>
      <Link className="wide-only" to="/data">
        Data
      </Link>
      <span className="wide-only">/</span>
      {isRenaming ? (
        <RenameForm title={analysis.title} onRename={rename} onBack={() => setRenaming(false)} />
      ) : (
        <>
          <b className="ellipsis">{title}</b>
          <Button variant={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => setRenaming(true)}>
            <Pencil className="icon s" aria-hidden="true" />
          </Button>
          {problem === null ? (
            <span className="chip wide-only">
              {isKept ? `Saved ${formatMoment(analysis.changedAt, Date.now())}` : 'Not saved'}
            </span>
          ) : (
            <span className="caption failure ellipsis" role="alert">
              Not renamed: {problem}
            </span>
          )}
        </>
      )}
    </>
  )
}
