import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { formatBytes } from '../../../components/format/format-bytes.ts'
import { useAction } from '../../../hooks/use-action.ts'
import type { TablesState } from '../../domain/data-services.ts'
import { NoStorageNotice } from '../controls/no-storage-notice.tsx'
import { SmallButton } from '../controls/small-button.tsx'

interface StorageLineProps extends Pick<TablesState, 'isLasting' | 'storage'> {
  readonly hasTables: boolean
  /** False if the browser refused. */
  readonly onPersist: () => Promise<boolean>
}

/** Where the tables are stored, and whether the browser may clear them. */
export function StorageLine({ isLasting, storage, hasTables, onPersist }: StorageLineProps) {
  const persisting = useAction()
  const [isRefused, setRefused] = useState(false)
  const mayGo = hasTables && storage !== null && !storage.isPersistent
  if (isLasting === null) return null
  if (!isLasting) return <NoStorageNotice />
  return (
    <div className="storage">
      <p className="row">
        <ShieldCheck className="icon s success" aria-hidden="true" />
        <span className="num">
          Stays in this browser
          {storage !== null && `, ${formatBytes(storage.usedBytes)} of ${formatBytes(storage.quotaBytes)}`}
        </span>
      </p>
      {mayGo && (
        <p className="row">
          <span className="grow muted" role="status">
            {isRefused
              ? 'The browser refused: it may clear this data when space runs short'
              : 'May be cleared by the browser'}
          </span>
          {!isRefused && (
            <SmallButton
              disabled={persisting.isBusy}
              onClick={() => void persisting.run(async () => setRefused(!(await onPersist())))}
            >
              Keep
            </SmallButton>
          )}
        </p>
      )}
    </div>
  )
}
