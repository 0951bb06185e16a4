// Stores analyses. Sent entries are separate records: the log only grows and is not rewritten with every step.
import type { Analysis, SentEntry } from '../domain/analysis.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import type { StoredAnalyses } from './browser-storage.ts'
import type { RecordChange, Records } from './records.ts'

/** No other code writes these stores. */
export function createStoredAnalyses(records: Records, changed: (id: string) => void): StoredAnalyses {
  /** The last stored entry of each log, as known to this tab, and the number of entries. */
  const written = new Map<string, { readonly count: number; readonly last: string | undefined }>()

  /** Writes all entries if the stored state is unknown: each has its position and does not change. */
  function newEntries({ id, ledger }: Analysis): readonly RecordChange[] {
    const { count, last } = written.get(id) ?? { count: 0, last: undefined }
    const isLonger = ledger.length >= count && ledger[count - 1]?.at === last
    const from = isLonger ? count : 0
    return ledger.slice(from).map((value, index) => ({ store: 'ledger', key: [id, from + index], value }))
  }

  const know = (id: string, ledger: readonly SentEntry[]): void =>
    void written.set(id, { count: ledger.length, last: ledger.at(-1)?.at })

  return {
    async list() {
      const summaries = (await records.all('summaries')) as readonly AnalysisSummary[]
      return [...summaries].sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1))
    },
    async load(id) {
      const found = (await records.get('analyses', id)) as Analysis | undefined
      if (found === undefined) return null
      const entries = (await records.under('ledger', id)) as readonly SentEntry[]
      // The format of an earlier version: all entries in one record.
      if (entries.length === 0) return found
      know(id, entries)
      return { ...found, ledger: entries }
    },
    async save(analysis, summary) {
      const { id, ledger } = analysis
      await records.write([
        { store: 'analyses', key: id, value: { ...analysis, ledger: [] } },
        { store: 'summaries', key: id, value: summary },
        ...newEntries(analysis),
      ])
      know(id, ledger)
      changed(id)
    },
    async remove(id) {
      await records.write([
        { store: 'analyses', removed: id },
        { store: 'summaries', removed: id },
        { store: 'steps', removedUnder: id },
        { store: 'ledger', removedUnder: id },
      ])
      written.delete(id)
      changed(id)
    },
  }
}
