// The workspace of the page: the rooms of Data put together.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { createCell } from '../state/cell.ts'
import type { Analysis } from './analysis.ts'
import { EngineError } from './engine.ts'
import { newAnalysis, summaryOf } from './runs/new-analysis.ts'
import type { AnalysesState, EngineState, OpenAnalysis, TablesState, Workspace } from './workspace.ts'

export interface WorkspaceOptions {
  readonly fetch: typeof fetch
}

const notYet = async (): Promise<never> => {
  throw new EngineError('dead', 'the engine is not there yet')
}

export function createWorkspace(_options: WorkspaceOptions): Workspace {
  const engine = createCell<EngineState>({ status: 'off', progress: null, failure: null })
  const tables = createCell<TablesState>({ tables: [], missing: [], storage: null })
  const analyses = createCell<AnalysesState>({ analyses: [] })
  const all = new Map<string, Analysis>()
  const list = () => analyses.set({ analyses: [...all.values()].map(summaryOf) })

  return {
    ...{ engine, tables, analyses },
    start: async () => undefined,
    ...{ planImport: notYet, replanImport: notYet, addTables: notYet, removeTable: notYet, renameTable: notYet },
    ...{ setNeverSent: notYet, profile: notYet, query: notYet, suggestJoins: async () => [] },
    ...{ sourceOf: async () => null, persist: async () => false },
    async createAnalysis() {
      const id = crypto.randomUUID()
      all.set(id, newAnalysis(id, [], new Date().toISOString()))
      list()
      return id
    },
    async removeAnalysis(id) {
      all.delete(id)
      list()
    },
    async open(id) {
      const found = all.get(id)
      return found === undefined ? null : openThin(found, (next) => all.set(id, next))
    },
    close: () => undefined,
  }
}

function openThin(found: Analysis, keep: (next: Analysis) => void): OpenAnalysis {
  const state = createCell(found)
  const change = async (next: Partial<Analysis>) => {
    state.update(next)
    keep(state.getSnapshot())
  }
  return {
    ...{ state, isLeader: createCell(true) },
    estimate: () => ({ units: 0, costUsd: null }),
    ask: async () => new QuarterdeckError('server.unreachable', 'questions are not asked yet'),
    ...{ cancel: async () => undefined, answerAsk: async () => undefined },
    ...{ editStep: notYet, restoreStep: notYet, runFrom: notYet, rows: notYet, useAsTable: notYet },
    setLevel: (level) => change({ level }),
    setScope: (scope) => change({ scope }),
    setTitle: (title) => change({ title }),
    chooseChart: async () => undefined,
    provingRows: async () => new Map(),
    close: () => undefined,
  }
}
