import { useStore } from '../../hooks/use-store.ts'
import { createStore, type Store } from '../../stores/primitives/store.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import type { StorageChange } from '../storage/browser-storage.ts'
import { openDatabaseRecords, storageName } from '../storage/database-records.ts'

const waiting = watchWaitingAnalyses()

/** The analyses of this browser that wait for the user. */
export const useWaitingAnalyses = (): readonly AnalysisSummary[] => useStore(waiting)

/** Oldest first, for pages that do not load Data. Refreshed whenever a tab of this browser saves an analysis. */
function watchWaitingAnalyses(): Store<readonly AnalysisSummary[]> {
  const cell = createStore<readonly AnalysisSummary[]>([], {
    onWatched() {
      // Without storage there are no analyses to list.
      const refresh = () => void waitingAnalyses().then(cell.set, () => cell.set([]))
      const channel = new BroadcastChannel(storageName)
      channel.addEventListener(
        'message',
        ({ data }: MessageEvent<StorageChange>) => data.what === 'analysis' && refresh(),
      )
      refresh()
      return () => channel.close()
    },
  })
  return cell
}

async function waitingAnalyses(): Promise<readonly AnalysisSummary[]> {
  // Opening a database creates it, and a browser that never used Data should not get one.
  const databases = await indexedDB.databases()
  if (!databases.some(({ name }) => name === storageName)) return []
  const records = await openDatabaseRecords(storageName)
  try {
    const summaries = (await records.all('summaries')) as readonly AnalysisSummary[] // only summaries are stored there
    return summaries
      .filter(({ lastState }) => lastState === 'waiting')
      .sort((one, other) => (one.changedAt < other.changedAt ? -1 : 1))
  } finally {
    records.close()
  }
}
