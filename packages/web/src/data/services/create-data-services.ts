// Creates and connects the services of Data. Large parts are loaded on first use.
import { type Client, createClient } from '@quarterdeck/client'
import type { ModelSummary } from '@quarterdeck/protocol'
import type { CodeFrame } from '../code-frame/code-frame.ts'
import type { DataServices } from '../domain/data-services.ts'
import type { ImportedTable } from '../domain/imported-table.ts'
import { retryAfterRestart } from '../domain/query-engine.ts'
import { checkFile } from '../import/check-file.ts'
import { planFile, replanFile } from '../import/plan-file.ts'
import { sourceOfBytes } from '../import/source/source-file.ts'
import { warmWorker } from '../import/worker/in-worker.ts'
import { profileTable } from '../profile/profile-table.ts'
import { suggestJoins } from '../profile/suggest-joins.ts'
import { tableNameProblem } from '../sql/reserved-names.ts'
import { openBrowserStorage } from '../storage/open-browser-storage.ts'
import type { CodeRunner } from '../tools/tool-deps.ts'
import { createAnalysesService } from './create-analyses-service.ts'
import { createEngineService } from './create-engine-service.ts'
import { createOfflineService } from './create-offline-service.ts'
import { createTablesService } from './create-tables-service.ts'
import { firstScope, joinedScope, joining } from './default-scope.ts'

export interface DataServicesOptions {
  readonly fetch: typeof fetch
}

/** Limits for SQL of the user. */
const consoleRows = 10_000
const consoleTimeMs = 10 * 60_000

export function createDataServices({ fetch }: DataServicesOptions): DataServices {
  const browserStorage = openBrowserStorage()
  const client = createClient({ baseUrl: '', fetch })
  const models = createModelList(client)
  const codeFrame = createLazyCodeFrame()
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

  /** Rows come from the engine, so it is loaded. */
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
      runner: { engine, codeFrame, toIpc },
      tables: loadedTables,
      whenTablesReady: tables.whenTablesReady,
      ready: engines.start,
      onRestart: engines.onRestart,
      addTable: addRows,
      locks: navigator.locks,
    },
  })

  /** Adds the rows as an Arrow file to keep their exact types. */
  async function addRows(name: string, bytes: Uint8Array): Promise<void> {
    const problem = tableNameProblem(name, taken())
    if (problem !== null) throw new Error(problem)
    const file = sourceOfBytes(`${name}.arrow`, bytes)
    const plan = await planFile(file, { taken: [] })
    const named = { ...plan, tables: plan.tables.map((table) => ({ ...table, name })) }
    const added = await tables.addDerived(file, named)
    // A removed table may have had this name, and this one is added to scopes only by hand.
    if (joining(added).length === 0) await analyses.renameTable({ from: added[0]?.name ?? name, to: null })
    await joinScope(added)
  }

  /** Tables that are added while an analysis is open join its scope. */
  async function joinScope(added: readonly ImportedTable[]): Promise<void> {
    const open = analyses.current()
    if (open === null) return
    const { scope } = open.state.getSnapshot()
    const next = joinedScope(scope, added)
    if (next.length > scope.length) await open.setScope(next)
  }

  const listed = () => tables.state.getSnapshot().listed ?? []
  const taken = () => [...listed(), ...tables.state.getSnapshot().missing].map(({ name }) => name)
  const dataServices: DataServices = {
    engine: engines.state,
    tables: tables.state,
    analyses: analyses.state,
    worksOffline: offline.isReady,
    start() {
      // Starting the engine is usually followed by adding a file.
      warmWorker()
      return engines.start()
    },
    planImport: (file, signal) => planFile(file, { taken: taken(), signal }),
    checkImport: checkFile,
    replanImport: (file, plan, signal) => replanFile(file, plan, { taken: taken(), signal }),
    async addTables(file, plan, options) {
      const added = await tables.add(file, plan, options)
      await joinScope(added)
      return added
    },
    addRows,
    sourceOf: tables.sourceOf,
    persist: tables.persist,
    setNeverSent: tables.setNeverSent,
    // The table stays in the scopes: a file that is added again under its name is used again.
    removeTable: tables.remove,
    async renameTable(from, to) {
      await tables.rename(from, to)
      if (from !== to) await analyses.renameTable({ from, to })
    },
    profile: (name, signal) => retryAfterRestart(() => profileTable(engines.engineFor(name), name, signal)),
    suggestJoins: (signal) => retryAfterRestart(() => suggestJoins(engine, loadedTables(), signal)),
    query: (sql, signal) =>
      retryAfterRestart(() =>
        engine.read(sql, { author: 'person', maxRows: consoleRows, timeoutMs: consoleTimeMs, signal }),
      ),
    createAnalysis: () => analyses.create(firstScope(listed())),
    removeAnalysis: analyses.remove,
    open: analyses.open,
    close() {
      offline.close()
      tables.close()
      void analyses.close().finally(() => {
        codeFrame.close()
        engines.close()
      })
    },
  }
  return dataServices
}

/** Creates the code frame with the first call. */
function createLazyCodeFrame(): CodeFrame {
  let opened: Promise<CodeFrame> | null = null
  const open = async () => (await import('../code-frame/create-code-frame.ts')).createCodeFrame()
  return {
    async run(call) {
      opened ??= open()
      return (await opened).run(call)
    },
    close() {
      void opened?.then((codeFrame) => codeFrame.close())
      opened = null
    },
  }
}

/** The models of the server, for prices: loaded once, empty until then. */
function createModelList(client: Pick<Client, 'listModels'>): () => readonly ModelSummary[] {
  let models: readonly ModelSummary[] | null = null
  return () => {
    if (models === null) {
      models = []
      client.listModels().then(
        (listed) => {
          models = listed.models
        },
        () => {
          models = null // retried next time
        },
      )
    }
    return models
  }
}
