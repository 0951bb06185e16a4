// Stores analyses. Sent entries are separate records: the log only grows and is not rewritten with every step.
import type { Analysis, SentEntry } from '../domain/analysis.ts'
import type { AnalysisSummary } from '../domain/data-services.ts'
import type { StoredAnalyses } from './browser-storage.ts'
import type { RecordChange, Records } from './records.ts'

/** As stored. Browsers already have records with the name `ledger` for the sent entries. */
type StoredAnalysis = Omit<Analysis, 'sent'> & { readonly ledger: readonly SentEntry[] }

/** No other code writes these stores. */
export function createStoredAnalyses(records: Records, changed: (id: string) => void): StoredAnalyses {
  /** The last stored entry of each log, as known to this tab, and the number of entries. */
  const written = new Map<string, { readonly count: number; readonly last: string | undefined }>()

  /** Writes all entries if the stored state is unknown: each has its position and does not change. */
  function newEntries({ id, sent }: Analysis): readonly RecordChange[] {
    const { count, last } = written.get(id) ?? { count: 0, last: undefined }
    const isLonger = sent.length >= count && sent[count - 1]?.at === last
    const from = isLonger ? count : 0
    return sent.slice(from).map((value, index) => ({ store: 'ledger', key: [id, from + index], value }))
  }

  const know = (id: string, sent: readonly SentEntry[]): void =>
    void written.set(id, { count: sent.length, last: sent.at(-1)?.at })

  return {
    async list() {
      const summaries = (await records.all('summaries')) as readonly AnalysisSummary[]
      return [...summaries].sort((one, other) => (one.changedAt < other.changedAt ? 1 : -1))
    },
    async load(id) {
      const found = (await records.get('analyses', id)) as StoredAnalysis | undefined
      if (found === undefined) return null
      const { ledger, ...analysis } = found
      const sent = (await records.under('ledger', id)) as readonly SentEntry[]
      // The format of an earlier version: all entries in one record.
      if (sent.length === 0) return { ...analysis, sent: ledger }
      know(id, sent)
      return { ...analysis, sent }
    },
    async save(analysis, summary) {
      const { sent, ...rest } = analysis
      const { id } = rest
      const value: StoredAnalysis = { ...rest, ledger: [] }
      await records.write([
        { store: 'analyses', key: id, value },
        { store: 'summaries', key: id, value: summary },
        ...newEntries(analysis),
      ])
      know(id, sent)
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
