// What a model has to look names up in: for each set of names that it does not have a catalog of its own, with views of
// all the others. What is not there is not found, however it is written. Catalogs have names that nobody can guess.

import { quoteName } from '../domain/cells.ts'
import { EngineError } from '../domain/query-engine.ts'
import { fullCatalog, visibleCatalogPrefix } from '../sql/catalog-name.ts'
import type { Booted } from './boot.ts'
import { dateMacros } from './date-macros.ts'
import { inSession, type Session } from './session.ts'

export interface VisibleCatalogs {
  /** The catalog without these names, if there is one yet. */
  known(hidden: readonly string[]): string | undefined
  /** Changes the database: one at a time. */
  open(hidden: readonly string[]): Promise<string>
  /** In every scope that does not hide it. */
  show(session: Session, view: ShownView): Promise<void>
  hide(session: Session, name: string): Promise<void>
}

export interface ShownView {
  readonly name: string
  /** What gives its rows. */
  readonly sql: string
  /** Its names are looked up in the scope itself, which may not have them: then it is not there either. */
  readonly isQuery?: boolean
}

interface Scope {
  readonly catalog: string
  readonly hidden: ReadonlySet<string>
}

export function createVisibleCatalogs(booted: Booted): VisibleCatalogs {
  const visibleCatalogs = new Map<string, Scope>()
  const views = new Map<string, ShownView>()

  /** Resolves with why it is not there. */
  const showIn = async (session: Session, { catalog, hidden }: Scope, view: ShownView): Promise<unknown> => {
    if (hidden.has(key(view.name))) return null
    const viewName = `${catalog}.main.${quoteName(view.name)}`
    if (view.isQuery !== true) {
      await session.run(`CREATE OR REPLACE VIEW ${viewName} AS ${view.sql}`)
      return null
    }
    try {
      await session.run(`USE ${catalog}`)
      await session.run(`CREATE OR REPLACE VIEW ${viewName} AS ${view.sql}`)
      return null
    } catch (error) {
      if (error instanceof EngineError && error.problem === 'dead') throw error
      await session.run(`DROP VIEW IF EXISTS ${viewName}`)
      return error
    } finally {
      await session.run(`USE ${fullCatalog}`)
    }
  }

  /** Queries read each other, in any order. */
  const fill = async (session: Session, scope: Scope): Promise<void> => {
    let left = [...views.values()].sort((one, other) => Number(one.isQuery ?? false) - Number(other.isQuery ?? false))
    for (let count = -1; left.length > 0 && left.length !== count; ) {
      count = left.length
      const waiting: ShownView[] = []
      for (const view of left) if ((await showIn(session, scope, view)) !== null) waiting.push(view)
      left = waiting
    }
  }

  return {
    known: (hidden) => visibleCatalogs.get(keyOf(hidden))?.catalog,

    async open(hidden) {
      const found = visibleCatalogs.get(keyOf(hidden))
      if (found !== undefined) return found.catalog
      const catalog = `${visibleCatalogPrefix}${crypto.randomUUID().replaceAll('-', '')}`
      const scope = { catalog, hidden: new Set(hidden.map(key)) }
      await inSession(booted, undefined, async (session) => {
        await session.run(`ATTACH ':memory:' AS ${catalog}`)
        for (const statement of dateMacros(catalog)) await session.run(statement)
        await fill(session, scope)
      })
      visibleCatalogs.set(keyOf(hidden), scope)
      return catalog
    },

    async show(session, view) {
      // Before it is anywhere: whoever hides it hides also what was half shown.
      views.set(key(view.name), view)
      for (const scope of visibleCatalogs.values()) {
        const problem = await showIn(session, scope, view)
        if (problem !== null && scope.hidden.size === 0) throw problem
      }
    },

    async hide(session, name) {
      if (!views.has(key(name))) return
      for (const { catalog } of visibleCatalogs.values())
        await session.run(`DROP VIEW IF EXISTS ${catalog}.main.${quoteName(name)}`)
      views.delete(key(name))
    },
  }
}

/** DuckDB's names are the same in upper and lower case. */
const key = (name: string): string => name.toLowerCase()

const keyOf = (hidden: readonly string[]): string => JSON.stringify([...new Set(hidden.map(key))].sort())
