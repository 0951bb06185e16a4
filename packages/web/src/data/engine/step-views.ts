// Results of steps as views `step_n` for SQL of the user and the model.
import type { StepContent } from '../domain/query-engine.ts'
import type { Booted } from './boot.ts'
import { inSession, type Session } from './session.ts'
import { columnsOf, inFullCatalog, insertArrow, show } from './tables.ts'
import type { VisibleCatalogs } from './visible-catalogs.ts'

export type StepViews = ReturnType<typeof createStepViews>

export interface StepViewsDeps {
  readonly booted: Booted
  readonly visibleCatalogs: VisibleCatalogs
  readonly neverSent: () => readonly string[]
}

/**
 * Rows of a step may be older than a lock, and their source table is unknown. So the model's view of a step omits every
 * column with a locked name, whichever table has the lock.
 */
export function createStepViews({ booted, visibleCatalogs, neverSent }: StepViewsDeps) {
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
    /** `sql` passed the guard and uses the names that the model sees. */
    store: (n: number, content: StepContent) =>
      inSession(booted, undefined, async (session) => {
        await drop(session, n)
        if ('ipc' in content) {
          await insertArrow(session, name(n), { ipc: content.ipc })
          kinds.set(n, 'TABLE')
          return showRows(session, n)
        }
        // Names in it are resolved in the model's catalog.
        await visibleCatalogs.show(session, { name: name(n), sql: content.sql, isQuery: true })
        kinds.set(n, 'VIEW')
        const all = await visibleCatalogs.open([])
        await session.run(`CREATE VIEW ${inFullCatalog(name(n))} AS FROM ${all}.main.${name(n)}`)
      }),

    /** Called after the locked columns changed. */
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
