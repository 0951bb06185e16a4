// The workspace of the page: the rooms of Data put together. What is large is loaded when it is first needed.
import { createClient } from '@quarterdeck/client'
import type { DataServices } from '../domain/data-services.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { retryAfterRestart } from '../domain/retry-after-restart.ts'
import { checkFile } from '../import/check-file.ts'
import { planFile, replanFile } from '../import/plan-file.ts'
import { sourceOfBytes } from '../import/source/source-file.ts'
import { warmWorker } from '../import/worker/in-worker.ts'
import { profileTable } from '../profile/profile-table.ts'
import { suggestJoins } from '../profile/suggest-joins.ts'
import { tableNameProblem } from '../sql/table-name-problem.ts'
import { openBrowserStorage } from '../storage/open-browser-storage.ts'
import type { CodeRunner } from '../tools/tool-deps.ts'
import { createAnalysesService } from './create-analyses-service.ts'
import { createEngineService } from './create-engine-service.ts'
import { createLazySandbox } from './create-lazy-sandbox.ts'
import { createModelList } from './create-model-list.ts'
import { createOfflineService } from './create-offline-service.ts'
import { createTablesService } from './create-tables-service.ts'
import { firstScope, joinedScope, joining } from './first-scope.ts'

export interface DataServicesOptions {
  readonly fetch: typeof fetch
}

/** Of the person's own SQL. */
const consoleRows = 10_000
const consoleTimeMs = 10 * 60_000

export function createDataServices({ fetch }: DataServicesOptions): DataServices {
  const browserStorage = openBrowserStorage()
  const client = createClient({ baseUrl: '', fetch })
  const models = createModelList(client)
  const sandbox = createLazySandbox()
  let ipc: typeof import('../engine/arrow/ipc.ts') | null = null
  const engines = createEngineService({
    async boot(options) {
      const [{ createQueryEngine }, ipcModule] = await Promise.all([
        import('../engine/create-query-engine.ts'),
        import('../engine/arrow/ipc.ts'),
      ])
      ipc = ipcModule
      return createQueryEngine(options)
    },
    fill: (engine) => tables.fill(engine),
  })
  const { engine } = engines
  const offline = createOfflineService({ fetch, engine: engines.state })
  const tables = createTablesService({ browserStorage, engine })
  const loadedTables = () => tables.state.getSnapshot().tables ?? []

  /** Whoever has rows got them from the engine: it is loaded. */
  const toIpc: CodeRunner['toIpc'] = (columns) => {
    if (ipc === null) throw new Error('the engine is not loaded')
    return ipc.toIpc(columns)
  }

  const analyses = createAnalysesService({
    browserStorage,
    hasEngine: () => engines.state.getSnapshot().status === 'ready',
    services: {
      fetch,
      client,
      models,
      runner: { engine, sandbox, toIpc },
      tables: loadedTables,
      whenTablesReady: tables.whenTablesReady,
      ready: engines.start,
      onRestart: engines.onRestart,
      addTable: addRows,
      locks: navigator.locks,
    },
  })

  /** The rows as the file they already are: their types stay exact. */
  async function addRows(name: string, bytes: Uint8Array): Promise<void> {
    const problem = tableNameProblem(name, taken())
    if (problem !== null) throw new Error(problem)
    const file = sourceOfBytes(`${name}.arrow`, bytes)
    const plan = await planFile(file, { taken: [] })
    const named = { ...plan, tables: plan.tables.map((table) => ({ ...table, name })) }
    const added = await tables.addMade(file, named)
    // It may have the name of one that was removed, and join by hand only.
    if (joining(added).length === 0) await analyses.renameTable({ from: added[0]?.name ?? name, to: null })
    await joinScope(added)
  }

  /** What is added while an analysis is open is what it is about, too. */
  async function scopeTo(change: (scope: readonly string[]) => readonly string[]): Promise<void> {
    const open = analyses.current()
    if (open === null) return
    const { scope } = open.state.getSnapshot()
    const next = change(scope)
    if (next.join('\n') !== scope.join('\n')) await open.setScope(next)
  }

  const joinScope = (added: readonly ImportedTable[]): Promise<void> => scopeTo((scope) => joinedScope(scope, added))

  const listed = () => tables.state.getSnapshot().listed ?? []
  const taken = () => [...listed(), ...tables.state.getSnapshot().missing].map(({ name }) => name)
  const dataServices: DataServices = {
    engine: engines.state,
    tables: tables.state,
    analyses: analyses.state,
    worksOffline: offline.isReady,
    start() {
      // Whoever starts the engine adds a file next, as a rule.
      warmWorker()
      return engines.start()
    },
    planImport: (file, signal) => planFile(file, { taken: taken(), ...(signal === undefined ? {} : { signal }) }),
    checkImport: checkFile,
    replanImport: (file, plan, signal) =>
      replanFile(file, plan, { taken: taken(), ...(signal === undefined ? {} : { signal }) }),
    async addTables(file, plan, options) {
      const added = await tables.add(file, plan, options)
      await joinScope(added)
      return added
    },
    addRows,
    sourceOf: tables.sourceOf,
    persist: tables.persist,
    setNeverSent: tables.setNeverSent,
    // What it was in it stays in: a file added again under its name is what the questions are about.
    removeTable: tables.remove,
    async renameTable(from, to) {
      await tables.rename(from, to)
      if (from !== to) await analyses.renameTable({ from, to })
    },
    profile: (name, signal) => retryAfterRestart(() => profileTable(engines.engineFor(name), name, signal)),
    suggestJoins: (signal) => retryAfterRestart(() => suggestJoins(engine, loadedTables(), signal)),
    query: (sql, signal) =>
      retryAfterRestart(() =>
        engine.read(sql, {
          author: 'person',
          maxRows: consoleRows,
          timeoutMs: consoleTimeMs,
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    createAnalysis: () => analyses.create(firstScope(listed())),
    removeAnalysis: analyses.remove,
    open: analyses.open,
    close() {
      offline.close()
      tables.close()
      void analyses.close().finally(() => {
        sandbox.close()
        engines.close()
      })
    },
  }
  return dataServices
}
