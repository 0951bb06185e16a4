// The database of the page. Only `engine/` imports DuckDB.
import type { Column, Rows } from './cells.ts'

/** SQL of the model, including edited steps, never reads locked columns or other catalogs. */
export type Author = 'model' | 'person'

export interface QueryOptions {
  readonly author: Author
  /** The maximum number of rows to return. */
  readonly maxRows: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /** Tables out of scope: SQL that names them is refused. */
  readonly hidden?: readonly string[]
}

export interface ReadResult extends Rows {
  /** `null` if there are more than `maxRows`. */
  readonly rowCount: number | null
  readonly elapsedMs: number
  /** The same rows as an Arrow IPC stream; `null` if there are more than `maxRows`. */
  readonly ipc: Uint8Array | null
}

export interface TableFacts {
  readonly name: string
  readonly rowCount: number
  /** Includes columns that are never sent. */
  readonly columns: readonly Column[]
  readonly neverSent: readonly string[]
}

/** A table that the model may know. */
export interface QueryableTable {
  readonly name: string
  readonly rowCount: number
  /** Columns that may be sent. */
  readonly columns: readonly Column[]
}

export interface NewColumn {
  readonly name: string
  readonly type: string | null
  /** Arrow only: a value that fails the cast becomes empty instead of failing the import. */
  readonly leavesMisfitsEmpty?: true
}

export interface NewCsv {
  readonly name: string
  /** UTF-8, regardless of the encoding of the file. */
  readonly bytes: Uint8Array
  readonly delimiter: string
  readonly hasHeader: boolean
  /** All columns of the file in order, with the name and type to use; `type: null` leaves a column out. */
  readonly columns: readonly NewColumn[]
  readonly signal?: AbortSignal
}

export interface Rejected {
  /** Line of the file, from 1, including the header. */
  readonly line: number
  readonly column: string | null
  readonly problem: string
  readonly text: string
}

export interface ImportedRows {
  readonly facts: TableFacts
  /** The number of rows that are not in the table; `rejected` has the first of them. */
  readonly rejectedCount: number
  readonly rejected: readonly Rejected[]
}

/** The result of a step: its rows, or the query if there are too many rows. */
export type StepContent = { readonly ipc: Uint8Array } | { readonly sql: string }

export interface QueryEngine {
  /** Runs one read-only statement in a transaction that is rolled back. Rejects with `EngineError`. */
  read(sql: string, options: QueryOptions): Promise<ReadResult>
  /**
   * DuckDB's plan as JSON of `EXPLAIN (ANALYZE, FORMAT JSON)`, with the rows of each operator. Runs the statement
   * again, read-only like `read`, and refuses the same SQL: EXPLAIN ANALYZE of a DROP would drop.
   */
  plan(sql: string, options: Omit<QueryOptions, 'maxRows'>): Promise<string>
  addCsv(csv: NewCsv): Promise<ImportedRows>
  /**
   * Adds an IPC stream as a table. `columns` are all columns of the stream in order, with the name and type to use
   * (`type: null` leaves one out, the same type needs no cast). A value that fails its cast rejects the call.
   */
  addArrow(name: string, ipc: Uint8Array, columns?: NewCsv['columns']): Promise<TableFacts>
  /** Stores the result as `step_n` for later SQL and replaces an earlier one. */
  storeStep(n: number, content: StepContent): Promise<void>
  dropSteps(): Promise<void>
  setNeverSent(table: string, columns: readonly string[]): Promise<void>
  rename(from: string, to: string): Promise<void>
  drop(table: string): Promise<void>
  tables(): Promise<readonly TableFacts[]>
  /** Starts a new, empty and locked worker after a crash or lack of memory. The caller loads the tables again. */
  restart(): Promise<void>
  close(): void
}

/** `sql`: error of DuckDB · `refused`: by the guard · `memory`, `dead`: a restart helps. */
export type EngineProblem = 'sql' | 'refused' | 'timeout' | 'cancelled' | 'memory' | 'dead'

export class EngineError extends Error {
  readonly problem: EngineProblem

  /** The message may contain cell values and counts as data. */
  constructor(problem: EngineProblem, message: string) {
    super(message)
    this.name = 'EngineError'
    this.problem = problem
  }
}

/** Progress of loading the engine: 34 MB from this server, once. */
export interface EngineProgress {
  readonly bytesLoaded: number
  readonly bytesTotal: number | null
}

/** Retries once if the database was lost, because it has been restarted by then. The work must be safe to repeat. */
export async function retryAfterRestart<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EngineError) || error.problem !== 'dead') throw error
    return work()
  }
}
