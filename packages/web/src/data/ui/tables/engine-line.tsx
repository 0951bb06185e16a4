import { formatBytes } from '../../../components/format/format-bytes.ts'
import { ErrorCard } from '../../../components/status/error-card.tsx'
import { StateGlyph } from '../../../components/status/state-glyph.tsx'
import type { EngineState, TablesState } from '../../domain/data-services.ts'
import { SmallButton } from '../controls/small-button.tsx'

interface EngineLineProps extends Pick<TablesState, 'isLasting'> {
  readonly engine: EngineState
  readonly onStart: () => Promise<void>
}

/** Progress or failure of starting the database; nothing once it runs. */
export function EngineLine({ engine, isLasting, onStart }: EngineLineProps) {
  const { status, progress, failure } = engine
  if (status === 'failed') {
    return (
      <ErrorCard
        what="The database of this page did not start"
        detail={failure?.message ?? 'It is loaded from this server once, about 34 MB.'}
        {...(isLasting ? { saved: 'your tables and analyses.' } : {})}
      >
        <SmallButton onClick={() => void onStart().catch(() => undefined)}>Try again</SmallButton>
      </ErrorCard>
    )
  }
  if (status !== 'loading') return null
  const { bytesLoaded = 0, bytesTotal = null } = progress ?? {}
  return (
    <p className="row text-2 engine-line num" role="status">
      <StateGlyph state="running" />
      Starting the database
      {bytesLoaded > 0 && bytesTotal !== null && bytesLoaded < bytesTotal && (
        <span className="muted">
          {formatBytes(bytesLoaded)} of {formatBytes(bytesTotal)}
        </span>
      )}
    </p>
  )
}
