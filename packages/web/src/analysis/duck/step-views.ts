// What steps left, as `step_n` for later SQL, for people and the model alike.
import type { StepContent } from '../engine.ts'
import type { Booted } from './boot.ts'
import { shownCatalog } from './catalogs.ts'
import { inSession, insertArrow, kept, shown } from './tables.ts'

export interface StepViews {
  /** `sql` has passed the guard, with the names the model has. */
  keep(n: number, content: StepContent): Promise<void>
  dropAll(): Promise<void>
}

export function createStepViews(booted: Booted): StepViews {
  const kinds = new Map<number, 'TABLE' | 'VIEW'>()

  const drop = async (run: (sql: string) => Promise<void>, n: number): Promise<void> => {
    await run(`DROP VIEW IF EXISTS ${shown(name(n))}`)
    const kind = kinds.get(n)
    if (kind !== undefined) await run(`DROP ${kind} IF EXISTS ${kept(name(n))}`)
    kinds.delete(n)
  }

  return {
    keep: (n, content) =>
      inSession(booted, undefined, async (session) => {
        await drop(session.run, n)
        if ('ipc' in content) {
          await insertArrow(session, name(n), { ipc: content.ipc })
          kinds.set(n, 'TABLE')
          await session.run(`CREATE VIEW ${shown(name(n))} AS FROM ${kept(name(n))}`)
          return
        }
        // Names in it are looked up where the model's are.
        await session.run(`USE ${shownCatalog}`)
        await session.run(`CREATE VIEW ${shown(name(n))} AS ${content.sql}`)
        kinds.set(n, 'VIEW')
        await session.run(`CREATE VIEW ${kept(name(n))} AS FROM ${shown(name(n))}`)
      }),

    dropAll: () =>
      inSession(booted, undefined, async ({ run }) => {
        for (const n of kinds.keys()) await drop(run, n)
      }),
  }
}

const name = (n: number): string => `step_${n}`
