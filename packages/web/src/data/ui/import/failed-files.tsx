import { visibleText } from '@quarterdeck/protocol'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import { QuietButton } from '../controls/quiet-button.tsx'
import { SmallButton } from '../controls/small-button.tsx'
import type { Import, ImportState } from './state/import-list.ts'
import type { Imports } from './state/imports.ts'

export interface FailedImport extends Import {
  readonly state: Extract<ImportState, { kind: 'failed' }>
}

/** Files that could not be imported: two lines for one, a list for several. */
export function FailedFiles({
  failed,
  imports,
}: {
  readonly failed: readonly FailedImport[]
  readonly imports: Imports
}) {
  const [only, ...others] = failed
  if (only === undefined) return null
  if (others.length === 0) return <FailedFile line={only} imports={imports} />
  return (
    <div className="import-line" role="alert">
      <StateGlyph state="failed" />
      <details className="grow import-failures">
        <summary>{failed.length} files were not added</summary>
        <ul className="stack import-lines" aria-label="Files that were not added">
          {failed.map((line) => (
            <li key={line.id}>
              <FailedFile line={line} imports={imports} isListed />
            </li>
          ))}
        </ul>
      </details>
      <QuietButton onClick={() => failed.map(({ id }) => imports.dismiss(id))}>Dismiss all</QuietButton>
    </div>
  )
}

interface FailedFileProps {
  readonly line: FailedImport
  readonly imports: Imports
  readonly isListed?: boolean
}

function FailedFile({ line, imports, isListed = false }: FailedFileProps) {
  const { id, file, state } = line
  return (
    <div className="import-line" {...(!isListed && { role: 'alert' })}>
      {!isListed && <StateGlyph state="failed" />}
      <details className="grow import-failure">
        <summary>
          <b className="ellipsis">{visibleText(file.name)} was not added</b>
          {/* Cut to one line until it is opened. */}
          <span className="import-reason ellipsis text-2">{visibleText(state.message)}</span>
        </summary>
      </details>
      {state.mayRetry && (
        <SmallButton onClick={() => imports.retry(id)}>
          {state.plan === null ? 'Try again' : 'Change the options'}
        </SmallButton>
      )}
      <QuietButton aria-label={`Dismiss ${visibleText(file.name)}`} onClick={() => imports.dismiss(id)}>
        Dismiss
      </QuietButton>
    </div>
  )
}
