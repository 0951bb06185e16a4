// The database of the page with two small tables, on a page without UI.
import type { EngineError, QueryOptions, ReadResult } from '../../../packages/web/src/data/domain/query-engine.ts'
import { type Harness, openHarness } from './analysis-harness.ts'
import type { HarnessModules } from './harness-entry.ts'

type QueryEngine = Awaited<ReturnType<HarnessModules['duck']['createQueryEngine']>>
type Outcome = { readonly result: ReadResult } | { readonly problem: string; readonly message: string }

declare global {
  /** Created on the page by `openEnginePage`. */
  var engine: QueryEngine
}

export interface EnginePage extends Harness<'duck' | 'ipc' | 'raw'> {
  /** Reported while the engine loaded. */
  readonly progress: readonly { readonly bytesLoaded: number; readonly bytesTotal: number | null }[]
  /** As a model, unless the options name another author. */
  read(sql: string, options?: Partial<QueryOptions>): Promise<Outcome>
  /** Throws if the query fails. */
  rowsOf(sql: string, options?: Partial<QueryOptions>): Promise<ReadResult['rows']>
}

const people = 'id,name,email,age\n1,Ann,ann@x.com,31\n2,Bob,bob@x.com,\n3,"Cid ""C""",cid@x.com,29\n'
const orders = 'nr,person,amount\n10,1,5.5\n11,1,4.5\n12,3,90\n'

export async function openEnginePage(): Promise<EnginePage> {
  const harness = await openHarness('duck', 'ipc', 'raw')
  const progress = await harness.run(
    async ({ modules, people, orders }) => {
      const loads: { bytesLoaded: number; bytesTotal: number | null }[] = []
      globalThis.engine = await modules.duck.createQueryEngine({ onProgress: (at) => void loads.push(at) })
      const add = (name: string, text: string, types: readonly string[]) => {
        const names = text.slice(0, text.indexOf('\n')).split(',')
        const columns = names.map((column, at) => ({ name: column, type: types[at] ?? 'VARCHAR' }))
        const bytes = new TextEncoder().encode(text)
        return engine.addCsv({ name, bytes, delimiter: ',', hasHeader: true, columns })
      }
      await add('people', people, ['BIGINT', 'VARCHAR', 'VARCHAR', 'BIGINT'])
      await add('orders', orders, ['BIGINT', 'BIGINT', 'DOUBLE'])
      return loads
    },
    { people, orders },
  )
  const read: EnginePage['read'] = (sql, options = {}) =>
    harness.run(
      async ({ sql, options }) => {
        try {
          const result = await engine.read(sql, { author: 'model', maxRows: 1000, timeoutMs: 60_000, ...options })
          return { result: { ...result, ipc: null } }
        } catch (error) {
          const { problem, message } = error as EngineError
          return { problem: problem ?? 'bug', message }
        }
      },
      { sql, options },
    )
  return {
    ...harness,
    progress,
    read,
    async rowsOf(sql, options) {
      const outcome = await read(sql, options)
      if ('problem' in outcome) throw new Error(`${outcome.problem}: ${outcome.message}`)
      return outcome.result.rows
    },
  }
}
