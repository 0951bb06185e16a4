// What steps left, as `step_n` for later SQL, for people and the model alike.
import type { StepContent } from '../domain/query-engine.ts'
import type { Booted } from './boot.ts'
import { inSession, type Session } from './session.ts'
import { columnsOf, inFullCatalog, insertArrow, show } from './tables.ts'
import type { VisibleCatalogs } from './visible-catalogs.ts'

export interface StepViews {
  /** `sql` has passed the guard, with the names the model has. */
  keep(n: number, content: StepContent): Promise<void>
  /** After other columns became ones that are never sent. */
  showAgain(): Promise<void>
  dropAll(): Promise<void>
}

export interface StepViewsDeps {
  readonly booted: Booted
  readonly visibleCatalogs: VisibleCatalogs
  readonly neverSent: () => readonly string[]
}

/**
 * Rows of a step may be older than the wish that a column is never sent, and nobody knows which table they came from: the
 * model's view of a step has no column of such a name, whichever table has it.
 */
export function createStepViews({ booted, visibleCatalogs, neverSent }: StepViewsDeps): StepViews {
  const kinds = new Map<number, 'TABLE' | 'VIEW'>()

  const drop = async (session: Session, n: number): Promise<void> => {
    await visibleCatalogs.hide(session, name(n))
    const kind = kinds.get(n)
    if (kind !== undefined) await session.run(`DROP ${kind} IF EXISTS ${inFullCatalog(name(n))}`)
    kinds.delete(n)
  }

  const showRows = async (session: Session, n: number): Promise<void> => {
    const columns = await columnsOf(session, name(n))
    const names = new Set(neverSent().map((column) => column.toLowerCase()))
    const secret = columns.map((column) => column.name).filter((column) => names.has(column.toLowerCase()))
    await show({ session, visibleCatalogs }, { name: name(n), columns, neverSent: secret })
  }

  return {
    keep: (n, content) =>
      inSession(booted, undefined, async (session) => {
        await drop(session, n)
        if ('ipc' in content) {
          await insertArrow(session, name(n), { ipc: content.ipc })
          kinds.set(n, 'TABLE')
          return showRows(session, n)
        }
        // Names in it are looked up where the model's are.
        await visibleCatalogs.show(session, { name: name(n), sql: content.sql, isQuery: true })
        kinds.set(n, 'VIEW')
        const all = await visibleCatalogs.open([])
        await session.run(`CREATE VIEW ${inFullCatalog(name(n))} AS FROM ${all}.main.${name(n)}`)
      }),

    showAgain: () =>
      inSession(booted, undefined, async (session) => {
        for (const [n, kind] of kinds) if (kind === 'TABLE') await showRows(session, n)
      }),

    dropAll: () =>
      inSession(booted, undefined, async (session) => {
        for (const n of kinds.keys()) await drop(session, n)
      }),
  }
}

const name = (n: number): string => `step_${n}`
