// The tables of the page: complete in one catalog, and as views without locked columns in the model's catalogs.
import { type Column, quoteName, quoteText } from '../domain/cells.ts'
import { columnTypes } from '../domain/import-plan.ts'
import { EngineError, type ImportedRows, type NewCsv, type TableFacts } from '../domain/query-engine.ts'
import { nameKey } from '../domain/same-name.ts'
import { fullCatalog, isStagingName, isStepName, newStagingName } from '../sql/reserved-names.ts'
import type { Booted } from './boot.ts'
import { readRejected } from './rejected-rows.ts'
import { inSession, type Session } from './session.ts'
import { uploads } from './setup-statements.ts'
import type { VisibleCatalogs } from './visible-catalogs.ts'

export const inFullCatalog = (name: string): string => `${fullCatalog}.main.${quoteName(name)}`

export type Tables = ReturnType<typeof createTables>

export function createTables(booted: Booted, visibleCatalogs: VisibleCatalogs) {
  const facts = new Map<string, TableFacts>()

  const know = (name: string): TableFacts => {
    const known = facts.get(nameKey(name))
    if (known === undefined) throw new EngineError('sql', `Table "${name}" does not exist.`)
    return known
  }
  const settle = async (session: Session, name: string): Promise<TableFacts> => {
    const columns = await columnsOf(session, name)
    const [row] = await session.rows(`SELECT count(*) FROM ${inFullCatalog(name)}`)
    const table = { name, rowCount: Number(row?.[0] ?? 0), columns, neverSent: [] }
    await show({ session, visibleCatalogs }, table)
    facts.set(nameKey(name), table)
    return table
  }

  return {
    addCsv: (csv: NewCsv): Promise<ImportedRows> =>
      inSession(booted, csv.signal, async (session) => {
        checkName(csv.name)
        // A random name without an extension: DuckDB reads `FROM 'x.csv'` as a file.
        const file = `${uploads}${crypto.randomUUID()}`
        // DuckDB transfers the buffer away from the caller.
        await booted.alive(booted.db.registerFileBuffer(file, csv.bytes.slice()))
        try {
          await session.run(`CREATE OR REPLACE TABLE ${inFullCatalog(csv.name)} AS ${readCsv(file, csv)}`)
        } finally {
          await booted.alive(booted.db.dropFile(file))
        }
        const rejected = await readRejected(session, csv.bytes)
        return { facts: await settle(session, csv.name), ...rejected }
      }),

    addArrow: (name: string, ipc: Uint8Array, columns?: NewCsv['columns']): Promise<TableFacts> =>
      inSession(booted, undefined, async (session) => {
        checkName(name)
        await insertArrow(session, name, { ipc, columns })
        return settle(session, name)
      }),

    setNeverSent: (table: string, columns: readonly string[]): Promise<void> =>
      inSession(booted, undefined, async (session) => {
        const known = know(table)
        const unknown = columns.find((name) => !known.columns.some((column) => column.name === name))
        if (unknown !== undefined) throw new EngineError('sql', `Table "${table}" has no column "${unknown}".`)
        const changed = { ...known, neverSent: [...columns] }
        await show({ session, visibleCatalogs }, changed)
        facts.set(nameKey(table), changed)
      }),

    rename: (from: string, to: string): Promise<void> =>
      inSession(booted, undefined, async (session) => {
        const known = know(from)
        checkName(to)
        if (nameKey(from) !== nameKey(to) && facts.has(nameKey(to)))
          throw new EngineError('sql', `A table named "${to}" already exists.`)
        await visibleCatalogs.hide(session, from)
        // Names that differ only in case are equal, and the table has that name already.
        const source = nameKey(from) === nameKey(to) ? newStagingName() : from
        if (source !== from) await session.run(`ALTER TABLE ${inFullCatalog(from)} RENAME TO ${quoteName(source)}`)
        await session.run(`ALTER TABLE ${inFullCatalog(source)} RENAME TO ${quoteName(to)}`)
        const renamed = { ...known, name: to }
        await show({ session, visibleCatalogs }, renamed)
        facts.delete(nameKey(from))
        facts.set(nameKey(to), renamed)
      }),

    drop: (table: string): Promise<void> =>
      inSession(booted, undefined, async (session) => {
        await visibleCatalogs.hide(session, table)
        await session.run(`DROP TABLE IF EXISTS ${inFullCatalog(table)}`)
        facts.delete(nameKey(table))
      }),

    all: (): readonly TableFacts[] => [...facts.values()].filter(({ name }) => !isStagingName(name)),
  }
}

function checkName(name: string): void {
  if (name.trim() === '' || isStepName(name)) {
    throw new EngineError('refused', `A table cannot be named "${name}": step_n are the results of steps.`)
  }
}

export async function columnsOf(session: Session, name: string): Promise<readonly Column[]> {
  const rows = await session.rows(`DESCRIBE ${inFullCatalog(name)}`)
  return rows.map(([column, type]) => ({ name: String(column), type: String(type) }))
}

/** The model's view of a table, or none if all columns are locked. */
export async function show(
  { session, visibleCatalogs }: { readonly session: Session; readonly visibleCatalogs: VisibleCatalogs },
  { name, columns, neverSent }: Pick<TableFacts, 'name' | 'columns' | 'neverSent'>,
): Promise<void> {
  const open = columns.filter((column) => !neverSent.includes(column.name))
  if (open.length === 0 || isStagingName(name)) return visibleCatalogs.hide(session, name)
  const list = open.map((column) => quoteName(column.name)).join(', ')
  await visibleCatalogs.show(session, { name, sql: `SELECT ${list} FROM ${inFullCatalog(name)}` })
}

export interface NewArrow {
  readonly ipc: Uint8Array
  readonly columns?: NewCsv['columns'] | undefined
}

/** Replaces a table of that name; the old one stays until the new one is complete. */
export async function insertArrow(session: Session, name: string, { ipc, columns }: NewArrow): Promise<void> {
  const { db, alive } = session.booted
  const [incoming, ready] = [newStagingName(), newStagingName()]
  try {
    // DuckDB transfers the buffer away from the caller.
    await alive(db.insertArrowFromIPCStream(session.connection, ipc.slice(), { name: incoming, create: true }))
    if (columns !== undefined) {
      const list = castList(await columnsOf(session, incoming), columns)
      await session.run(
        `CREATE OR REPLACE TABLE ${inFullCatalog(ready)} AS SELECT ${list} FROM ${inFullCatalog(incoming)}`,
      )
    }
    await session.run(`DROP TABLE IF EXISTS ${inFullCatalog(name)}`)
    await session.run(
      `ALTER TABLE ${inFullCatalog(columns === undefined ? incoming : ready)} RENAME TO ${quoteName(name)}`,
    )
  } finally {
    for (const left of [incoming, ready]) await session.run(`DROP TABLE IF EXISTS ${inFullCatalog(left)}`)
  }
}

/** Only to types that the user can choose. Lists, maps and structs keep their type. */
function castList(found: readonly Column[], wanted: NewCsv['columns']): string {
  const list = wanted.flatMap(({ name, type, leavesMisfitsEmpty }, at) => {
    const source = found[at]
    if (type === null || source === undefined) return []
    const isCast = type !== source.type && columnTypes.some((known) => known === type)
    const cast = leavesMisfitsEmpty === true ? 'TRY_CAST' : 'CAST'
    return [
      `${isCast ? `${cast}(${quoteName(source.name)} AS ${type})` : quoteName(source.name)} AS ${quoteName(name)}`,
    ]
  })
  return list.join(', ')
}

/** Never DuckDB's detection: for a ragged file it skipped the first rows and the header. */
function readCsv(file: string, { columns, delimiter, hasHeader }: NewCsv): string {
  const types = columns.map(({ name, type }) => `${quoteText(name)}: ${quoteText(type ?? 'VARCHAR')}`)
  const wanted = columns.filter(({ type }) => type !== null).map(({ name }) => quoteName(name))
  const options = [
    `header = ${hasHeader}, auto_detect = false, columns = {${types.join(', ')}}`,
    `delim = ${quoteText(delimiter)}, quote = '"', escape = '"'`,
    `store_rejects = true, rejects_table = 'rejected', rejects_scan = 'rejected_scan', rejects_limit = 0`,
  ]
  return `SELECT ${wanted.join(', ')} FROM read_csv(${quoteText(file)}, ${options.join(', ')})`
}
