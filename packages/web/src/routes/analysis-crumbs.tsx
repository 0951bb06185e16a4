import { visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, Pencil } from 'lucide-react'
import { useState } from 'react'
import type { Analysis } from '../analysis/analysis.ts'
import { useStore } from '../hooks/use-store.ts'
import { useWorkspace } from '../hooks/use-workspace.ts'
import { Button } from '../ui/button.tsx'
import { formatMoment } from '../ui/format-time.ts'
import { RenameForm } from '../ui/rename-form.tsx'

interface AnalysisCrumbsProps {
  readonly analysis: Analysis
  /** Why the last title was not taken. */
  readonly problem: string | null
  readonly onTitle: (title: string) => void
}

/** Where one is; the title is changed in place. */
export function AnalysisCrumbs({ analysis, problem, onTitle }: AnalysisCrumbsProps) {
  const [isRenaming, setRenaming] = useState(false)
  const workspace = useWorkspace()
  const { isLasting } = useStore(workspace.tables)
  const { unkept } = useStore(workspace.analyses)
  const isKept = isLasting !== false && !unkept.includes(analysis.id)
  const title = visibleText(analysis.title)
  const rename = async (next: string) => {
    onTitle(next)
    return true // what went wrong is told beside the title
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
          <b className="cut">{title}</b>
          <Button look={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => setRenaming(true)}>
            <Pencil className="icon s" aria-hidden="true" />
          </Button>
          {problem === null ? (
            <span className="chip wide-only">
              {isKept ? `Saved ${formatMoment(analysis.changedAt, Date.now())}` : 'Not saved'}
            </span>
          ) : (
            <span className="crumb-problem cut" role="alert">
              Not renamed: {problem}
            </span>
          )}
        </>
      )}
    </>
  )
}
