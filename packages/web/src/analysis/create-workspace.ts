// The workspace of the page: the rooms of Data put together. What is large is loaded when it is first needed.
import { createClient } from '@quarterdeck/protocol'
import { checkFile } from './import/check-file.ts'
import { warmWorker } from './import/in-worker.ts'
import { planFile, replanFile } from './import/plan-file.ts'
import { sourceOfBytes } from './import/source-file.ts'
import { openKept } from './kept/open-kept.ts'
import type { KeptTable } from './kept-table.ts'
import { onceMore } from './once-more.ts'
import { profileTable } from './profile/profile-table.ts'
import { suggestJoins } from './profile/suggest-joins.ts'
import { tableNameProblem } from './table-name-problem.ts'
import type { CodeRunner } from './tools/tool-deps.ts'
import { createAnalysesRoom } from './workspace/create-analyses-room.ts'
import { createEngineRoom } from './workspace/create-engine-room.ts'
import { createLazySandbox } from './workspace/create-lazy-sandbox.ts'
import { createModelList } from './workspace/create-model-list.ts'
import { createOfflineRoom } from './workspace/create-offline-room.ts'
import { createTablesRoom } from './workspace/create-tables-room.ts'
import { firstScope, joinedScope, joining } from './workspace/first-scope.ts'
import type { Workspace } from './workspace.ts'

export interface WorkspaceOptions {
  readonly fetch: typeof fetch
}

/** Of the person's own SQL. */
const consoleRows = 10_000
const consoleTimeMs = 10 * 60_000

export function createWorkspace({ fetch }: WorkspaceOptions): Workspace {
  const kept = openKept()
  const client = createClient({ baseUrl: '', fetch })
  const models = createModelList(client)
  const sandbox = createLazySandbox()
  let ipc: typeof import('./duck/ipc.ts') | null = null
  const engines = createEngineRoom({
    async boot(options) {
      const [{ createEngine }, room] = await Promise.all([import('./duck/create-engine.ts'), import('./duck/ipc.ts')])
      ipc = room
      return createEngine(options)
    },
    fill: (engine) => tables.fill(engine),
  })
  const { engine } = engines
  const offline = createOfflineRoom({ fetch, engine: engines.state })
  const tables = createTablesRoom({ kept, engine })
  const here = () => tables.state.getSnapshot().tables ?? []

  /** Whoever has rows got them from the engine: it is loaded. */
  const toIpc: CodeRunner['toIpc'] = (columns) => {
    if (ipc === null) throw new Error('the engine is not loaded')
    return ipc.toIpc(columns)
  }

  const analyses = createAnalysesRoom({
    kept,
    hasEngine: () => engines.state.getSnapshot().status === 'ready',
    rooms: {
      ...{ fetch, client, models, runner: { engine, sandbox, toIpc }, tables: here, whenHere: tables.whenHere },
      ...{ ready: engines.start, onRestart: engines.onRestart, addTable: addRows, locks: navigator.locks },
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

  const joinScope = (added: readonly KeptTable[]): Promise<void> => scopeTo((scope) => joinedScope(scope, added))

  const listed = () => tables.state.getSnapshot().listed ?? []
  const taken = () => [...listed(), ...tables.state.getSnapshot().missing].map(({ name }) => name)
  const workspace: Workspace = {
    ...{ engine: engines.state, tables: tables.state, analyses: analyses.state, worksOffline: offline.isReady },
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
    ...{ sourceOf: tables.sourceOf, persist: tables.persist, setNeverSent: tables.setNeverSent },
    // What it was in it stays in: a file added again under its name is what the questions are about.
    removeTable: tables.remove,
    async renameTable(from, to) {
      await tables.rename(from, to)
      if (from !== to) await analyses.renameTable({ from, to })
    },
    profile: (name, signal) => onceMore(() => profileTable(engines.engineFor(name), name, signal)),
    suggestJoins: (signal) => onceMore(() => suggestJoins(engine, here(), signal)),
    query: (sql, signal) =>
      onceMore(() =>
        engine.read(sql, {
          ...{ author: 'person', maxRows: consoleRows, timeoutMs: consoleTimeMs },
          ...(signal === undefined ? {} : { signal }),
        }),
      ),
    createAnalysis: () => analyses.create(firstScope(listed())),
    ...{ removeAnalysis: analyses.remove, open: analyses.open },
    close() {
      offline.close()
      tables.close()
      void analyses.close().finally(() => {
        sandbox.close()
        engines.close()
      })
    },
  }
  return workspace
}
