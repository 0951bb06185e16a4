// Imports files into the database of the page and reads their tables, on a page without UI.
import type { PlannedColumn } from '../../../packages/web/src/data/domain/import-plan.ts'
import { type Harness, openHarness } from './analysis-harness.ts'
import type { HarnessModules } from './harness-entry.ts'

export type ImportPage = Awaited<ReturnType<typeof openImportPage>>

export async function openImportPage() {
  const harness = await openHarness('duck', 'plan', 'source', 'load')
  await harness.run(async ({ modules }) => {
    Object.assign(globalThis, { engine: await modules.duck.createQueryEngine({}) })
  })
  const load = (...file: FileToLoad) => loadFile(harness, ...file)
  return {
    ...harness,
    load,
    /** The first table of a file. Throws if there is none. */
    async only(...file: FileToLoad) {
      const { plan, tables, problem } = await load(...file)
      const [table] = tables
      if (table === undefined || plan === null) throw new Error(`no table: ${problem?.message}`)
      return { ...table, plan }
    },
  }
}

type ImportHarness = Harness<'duck' | 'plan' | 'source' | 'load'>
type FileToLoad = [name: string, bytes: Buffer | string, edit?: Edit]

interface Edit {
  /** Changes the plan as a user does before the import. */
  readonly again?: {
    readonly encoding?: 'windows-1252' | 'utf-8'
    readonly delimiter?: string
    readonly hasHeader?: boolean
  }
  /** Types by column name. */
  readonly types?: Readonly<Record<string, string | null>>
}

/** Plans a file, imports it, and reads all of its tables. */
const loadFile = (harness: ImportHarness, ...[name, bytes, edit = {}]: FileToLoad) =>
  harness.run(
    async ({ modules, name, base64, edit }) => {
      const engine = Reflect.get(globalThis, 'engine') as Awaited<
        ReturnType<HarnessModules['duck']['createQueryEngine']>
      >
      const source = modules.source.sourceOfBytes(
        name,
        Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)),
      )
      try {
        let plan = await modules.plan.planFile(source, { taken: [] })
        if (edit.again !== undefined)
          plan = await modules.plan.replanFile(source, { ...plan, ...edit.again }, { taken: [] })
        const typed = (column: PlannedColumn) => {
          const type = edit.types?.[column.name]
          return type === undefined ? column : { ...column, type }
        }
        plan = { ...plan, tables: plan.tables.map((table) => ({ ...table, columns: table.columns.map(typed) })) }
        const imported = await modules.load.importFile(engine, { bytes: await source.bytes(), plan })
        const tables = []
        for (const { facts, rejectedCount, rejected } of imported) {
          const quoted = facts.columns.map((column) => `"${column.name.replaceAll('"', '""')}"`).join(', ')
          const sql = `SELECT ${quoted} FROM "${facts.name}"`
          const { rows } = await engine.read(sql, { author: 'model', maxRows: 1000, timeoutMs: 60_000 })
          tables.push({
            name: facts.name,
            columns: facts.columns.map((column) => column.name),
            types: facts.columns.map((column) => column.type),
            rows: rows.map((row) => row.map((cell) => (typeof cell === 'bigint' ? `${cell}n` : cell))),
            rejectedCount,
            rejected: rejected.map(({ line, column, problem }) => [line, column, problem]),
            lines: rejected.map(({ text }) => text),
          })
          await engine.drop(facts.name)
        }
        return { plan, tables, problem: null, left: (await engine.tables()).length }
      } catch (error) {
        const problem = error instanceof Error ? { name: error.name, message: error.message } : null
        return { plan: null, tables: [], problem, left: (await engine.tables()).length }
      }
    },
    { name, base64: Buffer.from(bytes).toString('base64'), edit },
  )
