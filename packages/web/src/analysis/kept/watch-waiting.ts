// The analyses that wait for a person, for pages that load nothing else of Data.
import { createCell, type Store } from '../../state/cell.ts'
import type { AnalysisSummary } from '../workspace.ts'
import { openDatabaseRecords } from './database-records.ts'
import type { KeptChange } from './kept.ts'
import { keptPlace } from './kept-place.ts'

/** The longest wait first. Read again whenever a tab of this browser saves an analysis. */
export function watchWaitingAnalyses(): Store<readonly AnalysisSummary[]> {
  const cell = createCell<readonly AnalysisSummary[]>([], {
    onWatched() {
      // A browser that keeps nothing has nothing to show.
      const look = () => void waitingAnalyses().then(cell.set, () => cell.set([]))
      const channel = new BroadcastChannel(keptPlace)
      channel.addEventListener('message', ({ data }: MessageEvent<KeptChange>) => data.what === 'analysis' && look())
      look()
      return () => channel.close()
    },
  })
  return cell
}

async function waitingAnalyses(): Promise<readonly AnalysisSummary[]> {
  // Opening it would make it: a browser that never used Data keeps none.
  const databases = await indexedDB.databases()
  if (!databases.some(({ name }) => name === keptPlace)) return []
  const records = await openDatabaseRecords(keptPlace)
  try {
    const summaries = (await records.all('summaries')) as readonly AnalysisSummary[] // only summaries are put there
    return summaries
      .filter(({ lastState }) => lastState === 'waiting')
      .sort((one, other) => (one.changedAt < other.changedAt ? -1 : 1))
  } finally {
    records.close()
  }
}
