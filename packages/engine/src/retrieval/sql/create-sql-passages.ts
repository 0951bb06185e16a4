import { QuarterdeckError } from '@quarterdeck/protocol'
import { yieldToEventLoop } from '../../async/yield-to-event-loop.ts'
import { ownIdentity } from '../../system/holder-identity.ts'
import { clauseNumber } from '../chunking/find-clauses.ts'
import type { FileWriting, NewPassage, PassageStore, Ranked, StoredFile } from '../passage-store.ts'
import { claimWriting, releaseWriting, type Writer } from './claim-writing.ts'
import { openPassageDatabase, type PassageDatabase, setState, stateOf, waitForWriter } from './open-passage-database.ts'
import { DefinitionRow, FileRow, PassageRow, parseRows, passageColumns, RankedRow, VectorRow } from './passage-rows.ts'

export function createSqlPassages(
  file: string,
  clock: { now(): Date },
  /** Tests can simulate another process. */
  writer: Writer = ownIdentity(),
): PassageStore {
  const database = openPassageDatabase(file)
  const dimensions = () => dimensionsOf(database)
  const write = <Result>(work: () => Result): Promise<Result> => waitForWriter(() => database.transaction(work))
  const removeLeftovers = async () => {
    while (await write(() => removeSomeLeftovers(database))) await yieldToEventLoop()
  }
  return {
    fingerprint: () => stateOf(database, 'fingerprint'),
    begin: (fingerprint) =>
      write(() => {
        for (const table of ['files', 'passages', 'definitions']) database.run(`delete from ${table}`)
        database.run(`insert into words (words) values ('delete-all')`)
        database.run(`delete from state where key in ('dimensions', 'complete')`)
        setState(database, 'fingerprint', fingerprint)
      }),
    isComplete: () => stateOf(database, 'complete') !== null,
    finish: () => write(() => setState(database, 'complete', 'yes')),
    dimensions,
    files: () =>
      parseRows(FileRow, database.all('select path, hash, size, mtime from files where is_ready = 1')).map(
        ({ mtime, ...row }) => ({ ...row, mtimeMs: mtime }),
      ),
    countPassages: () =>
      Number(database.all(`select count(*) as count from passages where file in ${readyFiles}`)[0]?.count ?? 0),
    writeFile: (stored) => writeFile({ database, write, removeLeftovers }, stored),
    hasLeftovers: () => database.all('select 1 from files where is_ready = 0 limit 1').length > 0,
    removeLeftovers,
    touchFile: ({ path, size, mtimeMs }) =>
      write(() =>
        database.run('update files set size = ?, mtime = ? where path = ? and is_ready = 1', [size, mtimeMs, path]),
      ),
    async removeFile(path) {
      await write(() => hideFile(database, path))
      await removeLeftovers()
    },
    vectorsOf: (path) => vectorsOf(database, path),
    claim: (forMs) => write(() => claimWriting(database, { writer, forMs, now: clock.now().getTime() })),
    release: () => write(() => releaseWriting(database, writer)),
    ...searches(database, dimensions),
    close: database.close,
  }
}

const readyFiles = '(select id from files where is_ready = 1)'
const leftFiles = '(select id from files where is_ready = 0)'

function dimensionsOf(database: PassageDatabase): number | null {
  const stored = stateOf(database, 'dimensions')
  return stored === null ? null : Number(stored)
}

interface Writing {
  readonly database: PassageDatabase
  readonly write: <Result>(work: () => Result) => Promise<Result>
  readonly removeLeftovers: () => Promise<void>
}

function writeFile({ database, write, removeLeftovers }: Writing, file: StoredFile): FileWriting {
  let id: number | null = null

  /** The row is created with the first passages: the store may be reset in between. */
  function rowId(): number {
    id ??= insertFile(database, file)
    // Another process has taken over, assuming that this one was dead.
    if (database.all('select 1 from files where id = ?', [id]).length === 0) {
      throw new Error('another process has started to read the documents')
    }
    return id
  }

  return {
    add: (passages) =>
      write(() => {
        const fileId = rowId()
        for (const passage of passages) insertPassage(database, fileId, passage)
      }),
    async finish() {
      await write(() => {
        const fileId = rowId()
        hideFile(database, file.path)
        database.run('update files set is_ready = 1 where id = ?', [fileId])
      })
      await removeLeftovers()
    },
  }
}

function insertFile(database: PassageDatabase, { path, hash, size, mtimeMs }: StoredFile): number {
  database.run('insert into files (path, hash, size, mtime, is_ready) values (?, ?, ?, ?, 0)', [
    ...[path, hash],
    ...[size, mtimeMs],
  ])
  return lastId(database)
}

const hideFile = (database: PassageDatabase, path: string): void =>
  database.run('update files set is_ready = 0 where path = ? and is_ready = 1', [path])

function insertPassage(database: PassageDatabase, fileId: number, passage: NewPassage): void {
  const { text, headings, line, row, details, references, madeFrom, vector, definitions } = passage
  if (vector !== null) checkDimensions(database, vector.length)
  database.run(
    `insert into passages (file, text, headings, line, row, details, refs, clause, made_from, vector) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[fileId, text, JSON.stringify(headings), line, row],
      ...[JSON.stringify(details), JSON.stringify(references), clauseNumber(headings.at(-1) ?? ''), madeFrom],
      vector === null ? null : bytesOf(vector),
    ],
  )
  database.run('insert into words (rowid, headings, body) values (?, ?, ?)', [
    lastId(database),
    headings.join('\n'),
    row === null ? text : `${row}\n${text}`,
  ])
  for (const { term, meaning } of definitions) {
    database.run('insert into definitions (file, term, meaning) values (?, ?, ?)', [fileId, term, meaning])
  }
}

const lastId = (database: PassageDatabase): number => Number(database.all('select last_insert_rowid() as id')[0]?.id)

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  Buffer.from(buffer, byteOffset, byteLength)

function checkDimensions(database: PassageDatabase, length: number): void {
  const stored = dimensionsOf(database)
  if (stored === null) setState(database, 'dimensions', String(length))
  else if (stored !== length) throw otherLength(stored, length)
}

const otherLength = (stored: number, length: number): QuarterdeckError =>
  new QuarterdeckError(
    'tool.unavailable',
    `its documents were stored with vectors of ${stored} numbers and the embedder now returns ${length}: run "quarterdeck retrieval ingest --force"`,
  )

/** Few enough to be removed quickly. */
const leftoversAtOnce = 500

/** Returns whether there may be more. */
function removeSomeLeftovers(database: PassageDatabase): boolean {
  const found = database.all(`select id from passages where file in ${leftFiles} limit ${leftoversAtOnce}`)
  if (found.length === 0) {
    database.run(`delete from definitions where file in ${leftFiles}`)
    database.run('delete from files where is_ready = 0')
    return false
  }
  const ids = JSON.stringify(found.map(({ id }) => id))
  database.run('delete from words where rowid in (select value from json_each(?))', [ids])
  database.run('delete from passages where id in (select value from json_each(?))', [ids])
  return true
}

function vectorsOf(database: PassageDatabase, path: string): ReadonlyMap<string, Float32Array> {
  const rows = database.all(
    'select made_from, vector from passages where vector is not null and file in (select id from files where path = ? and is_ready = 1)',
    [path],
  )
  return new Map(parseRows(VectorRow, rows).map(({ made_from, vector }) => [made_from, new Float32Array(vector)]))
}

type Searches = Pick<
  PassageStore,
  'nearest' | 'matchingWords' | 'matchingPhrase' | 'load' | 'findClause' | 'definitions'
>

function searches(database: PassageDatabase, dimensions: () => number | null): Searches {
  const match = (query: string, limit: number): Ranked[] =>
    parseRows(
      RankedRow,
      // In FTS5, lower is better.
      database.all(
        `select rowid as id, -bm25(words, 1.0, 1.0) as score from words
         where words match ? and rowid not in (select id from passages where file in ${leftFiles})
         order by bm25(words, 1.0, 1.0), rowid limit ?`,
        [query, limit],
      ),
    )
  const select = `select ${passageColumns} from passages join files on files.id = passages.file and files.is_ready = 1`
  return {
    nearest(vector, limit) {
      const stored = dimensions()
      if (stored !== null && stored !== vector.length) throw otherLength(stored, vector.length)
      const rows = database.all(
        `select id, 1 - vector_distance_cos(vector, ?) as score from passages
         where vector is not null and file in ${readyFiles} order by score desc, id limit ?`,
        [bytesOf(vector), limit],
      )
      return parseRows(RankedRow, rows)
    },
    matchingWords: (words, limit) => (words.length === 0 ? [] : match(words.map(quoted).join(' OR '), limit)),
    matchingPhrase: (words, limit) => (words.length === 0 ? [] : match(quoted(words.join(' ')), limit)),
    load(ids) {
      const rows = database.all(`${select} where passages.id in (${ids.map(() => '?').join(', ')})`, ids)
      const byId = new Map(parseRows(PassageRow, rows).map((passage) => [passage.id, passage]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },
    findClause(path, number) {
      const rows = database.all(`${select} where files.path = ? and passages.clause = ? order by passages.id limit 1`, [
        path,
        number,
      ])
      return parseRows(PassageRow, rows)[0] ?? null
    },
    definitions(path) {
      const rows = database.all(
        'select term, meaning from definitions join files on files.id = definitions.file and files.is_ready = 1 order by files.path <> ?, definitions.rowid',
        [path],
      )
      return parseRows(DefinitionRow, rows)
    },
  }
}

const quoted = (words: string): string => `"${words.replaceAll('"', '""')}"`
