import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import type { TablesState } from '../../analysis/workspace.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { formatBytes } from '../../ui/format-bytes.ts'
import { NothingKept } from './nothing-kept.tsx'

interface StorageLineProps extends Pick<TablesState, 'isLasting' | 'storage'> {
  readonly hasTables: boolean
  /** False where the browser said no. */
  readonly onPersist: () => Promise<boolean>
}

/** Where the tables are, and whether they are safe there. */
export function StorageLine({ isLasting, storage, hasTables, onPersist }: StorageLineProps) {
  const keep = useAction()
  const [isRefused, setRefused] = useState(false)
  const mayGo = hasTables && storage !== null && !storage.isPersistent
  if (isLasting === null) return null
  if (!isLasting) return <NothingKept />
  return (
    <div className="storage">
      <p className="row">
        <ShieldCheck className="icon s" aria-hidden="true" />
        <span className="num">
          Stays in this browser
          {storage !== null && `, ${formatBytes(storage.usedBytes)} of ${formatBytes(storage.quotaBytes)}`}
        </span>
      </p>
      {mayGo && (
        <p className="row">
          <span className="grow muted" role="status">
            {isRefused
              ? 'The browser did not agree: it may clear this when space runs short'
              : 'May be cleared by the browser'}
          </span>
          {!isRefused && (
            <Button
              look={['s']}
              disabled={keep.isBusy}
              onClick={() => void keep.run(async () => setRefused(!(await onPersist())))}
            >
              Keep
            </Button>
          )}
        </p>
      )}
    </div>
  )
}
