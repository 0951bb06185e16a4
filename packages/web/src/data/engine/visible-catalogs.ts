// The catalogs in which SQL of a model resolves names: one for each set of hidden names, with views of everything else.
// Missing names cannot be found in any spelling. Catalog names are random.
import { quoteName } from '../domain/cells.ts'
import { EngineError } from '../domain/query-engine.ts'
import { nameKey } from '../domain/same-name.ts'
import { fullCatalog, visibleCatalogPrefix } from '../sql/reserved-names.ts'
import type { Booted } from './boot.ts'
import { inSession, type Session } from './session.ts'
import { dateMacros } from './setup-statements.ts'

export type VisibleCatalogs = ReturnType<typeof createVisibleCatalogs>

export interface ShownView {
  readonly name: string
  /** The SQL of the view. */
  readonly sql: string
  /** Names resolve in the catalog itself. If it lacks one of them, the view is omitted as well. */
  readonly isQuery?: boolean
}

interface Scope {
  readonly catalog: string
  readonly hidden: ReadonlySet<string>
}

export function createVisibleCatalogs(booted: Booted) {
  const visibleCatalogs = new Map<string, Scope>()
  const views = new Map<string, ShownView>()

  /** Resolves with the reason if the view could not be created. */
  const showIn = async (session: Session, { catalog, hidden }: Scope, view: ShownView): Promise<unknown> => {
    if (hidden.has(nameKey(view.name))) return null
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

  /** Queries may read each other, in any order. */
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
    /** The catalog without these names, if it exists. */
    known: (hidden: readonly string[]) => visibleCatalogs.get(keyOf(hidden))?.catalog,

    /** Changes the database: run one at a time. */
    async open(hidden: readonly string[]) {
      const found = visibleCatalogs.get(keyOf(hidden))
      if (found !== undefined) return found.catalog
      const catalog = `${visibleCatalogPrefix}${crypto.randomUUID().replaceAll('-', '')}`
      const scope = { catalog, hidden: new Set(hidden.map(nameKey)) }
      await inSession(booted, undefined, async (session) => {
        await session.run(`ATTACH ':memory:' AS ${catalog}`)
        for (const statement of dateMacros(catalog)) await session.run(statement)
        await fill(session, scope)
      })
      visibleCatalogs.set(keyOf(hidden), scope)
      return catalog
    },

    /** In every catalog that does not hide it. */
    async show(session: Session, view: ShownView) {
      // Set before the view exists anywhere, so that hiding it also removes a partly added view.
      views.set(nameKey(view.name), view)
      for (const scope of visibleCatalogs.values()) {
        const problem = await showIn(session, scope, view)
        if (problem !== null && scope.hidden.size === 0) throw problem
      }
    },

    async hide(session: Session, name: string) {
      if (!views.has(nameKey(name))) return
      for (const { catalog } of visibleCatalogs.values())
        await session.run(`DROP VIEW IF EXISTS ${catalog}.main.${quoteName(name)}`)
      views.delete(nameKey(name))
    },
  }
}

const keyOf = (hidden: readonly string[]): string => JSON.stringify([...new Set(hidden.map(nameKey))].sort())
