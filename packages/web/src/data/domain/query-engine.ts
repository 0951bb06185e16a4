// The database of the page, as the rest of the page knows it. Only `duck/` knows DuckDB.
import type { Column, Rows } from './cells.ts'

/** The model's SQL (and what people make of its steps) never reaches columns that are never sent, nor other catalogs. */
export type Author = 'model' | 'person'

export interface ReadOptions {
  readonly author: Author
  /** Rows that are brought to the page. */
  readonly maxRows: number
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Tables that this reader does not have: what names them is refused. */
  readonly hidden?: readonly string[]
}

export interface ReadResult extends Rows {
  /** `null` where there are more than `maxRows` and nobody counted. */
  readonly rowCount: number | null
  readonly elapsedMs: number
  /** The same rows as an Arrow IPC stream; `null` where there are more than `maxRows`. */
  readonly ipc: Uint8Array | null
}

export interface TableFacts {
  readonly name: string
  readonly rowCount: number
  /** Those that are never sent included. */
  readonly columns: readonly Column[]
  readonly neverSent: readonly string[]
}

export interface NewColumn {
  readonly name: string
  readonly type: string | null
  /** Arrow only: a value that the cast rejects becomes empty, instead of failing the import. */
  readonly leavesMisfitsEmpty?: true
}

export interface NewCsv {
  readonly name: string
  /** UTF-8, whatever the file was. */
  readonly bytes: Uint8Array
  readonly delimiter: string
  readonly hasHeader: boolean
  /** Every column of the file, in its order, by the name and type it shall have; `type: null` leaves a column out. */
  readonly columns: readonly NewColumn[]
  readonly signal?: AbortSignal
}

export interface Rejected {
  /** Of the file, from 1, the header included. */
  readonly line: number
  readonly column: string | null
  readonly problem: string
  readonly text: string
}

export interface ImportedRows {
  readonly facts: TableFacts
  /** How many rows are not in the table; the first of them in `rejected`. */
  readonly rejectedCount: number
  readonly rejected: readonly Rejected[]
}

/** What a step left: the rows themselves, or where they are too many the query that finds them again. */
export type StepContent = { readonly ipc: Uint8Array } | { readonly sql: string }

export interface QueryEngine {
  /** Reads, and nothing else: one statement, in a transaction that is rolled back. Rejects with `EngineError`. */
  read(sql: string, options: ReadOptions): Promise<ReadResult>
  /**
   * How DuckDB ran it: the JSON of `EXPLAIN (ANALYZE, FORMAT JSON)`, with the rows each operator gave. It runs once more
   * for that, read-only like `read`, and refuses what `read` refuses: EXPLAIN ANALYZE of a DROP drops.
   */
  plan(sql: string, options: Omit<ReadOptions, 'maxRows'>): Promise<string>
  addCsv(csv: NewCsv): Promise<ImportedRows>
  /**
   * An IPC stream as a table. `columns` are all of the stream's, in its order, by the name and type they shall have
   * (`type: null` leaves one out, the stream's own type needs no cast); a value that a cast does not take rejects the call.
   */
  addArrow(name: string, ipc: Uint8Array, columns?: NewCsv['columns']): Promise<TableFacts>
  /** As `step_n`, for later SQL; a step of that number is replaced. */
  keepStep(n: number, content: StepContent): Promise<void>
  dropSteps(): Promise<void>
  setNeverSent(table: string, columns: readonly string[]): Promise<void>
  rename(from: string, to: string): Promise<void>
  drop(table: string): Promise<void>
  tables(): Promise<readonly TableFacts[]>
  /** After the memory ran out or the worker died: a new one, empty and locked. The caller loads the tables again. */
  restart(): Promise<void>
  close(): void
}

/** `sql`: DuckDB does not take it · `refused`: the guard does not · `memory`, `dead`: a restart helps. */
export type EngineProblem = 'sql' | 'refused' | 'timeout' | 'cancelled' | 'memory' | 'dead'

export class EngineError extends Error {
  readonly problem: EngineProblem

  /** The message may hold values of cells: it counts as data. */
  constructor(problem: EngineProblem, message: string) {
    super(message)
    this.name = 'EngineError'
    this.problem = problem
  }
}

/** How far the engine is with loading: 34 MB come from this server once. */
export interface EngineProgress {
  readonly bytesLoaded: number
  readonly bytesTotal: number | null
}
