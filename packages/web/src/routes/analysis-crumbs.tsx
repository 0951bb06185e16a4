import { visibleText } from '@quarterdeck/protocol'
import { Link } from '@tanstack/react-router'
import { ChevronLeft, Pencil } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import type { Analysis } from '../analysis/analysis.ts'
import { Button } from '../ui/button.tsx'
import { formatMoment } from '../ui/format-time.ts'

interface AnalysisCrumbsProps {
  readonly analysis: Analysis
  /** Why the last title was not taken. */
  readonly problem: string | null
  readonly onTitle: (title: string) => void
}

/** Where one is; the title is changed in place. */
export function AnalysisCrumbs({ analysis, problem, onTitle }: AnalysisCrumbsProps) {
  const [isRenaming, setRenaming] = useState(false)
  const title = visibleText(analysis.title)
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
        <TitleForm title={analysis.title} onTitle={onTitle} onBack={() => setRenaming(false)} />
      ) : (
        <>
          <b className="cut">{title}</b>
          <Button look={['s', 'quiet', 'square', 'rename']} aria-label="Rename" onClick={() => setRenaming(true)}>
            <Pencil className="icon s" aria-hidden="true" />
          </Button>
          {problem === null ? (
            <span className="chip wide-only">Saved {formatMoment(analysis.changedAt, Date.now())}</span>
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

interface TitleFormProps {
  readonly title: string
  readonly onTitle: (title: string) => void
  readonly onBack: () => void
}

/** Enter keeps, Escape leaves it as it was. */
function TitleForm({ title, onTitle, onBack }: TitleFormProps) {
  const [draft, setDraft] = useState(title)
  function save(event: FormEvent): void {
    event.preventDefault()
    const next = draft.trim()
    if (next !== '' && next !== title) onTitle(next)
    onBack()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onBack()
  }
  return (
    <form className="row" onSubmit={save}>
      <input
        className="field"
        aria-label="Title"
        maxLength={200}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field
        autoFocus
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <button type="submit" className="btn s">
        Save
      </button>
    </form>
  )
}
