// Files of every supported format, written with other libraries than the ones that read them.
import { gzipSync } from 'node:zlib'
import { read, utils, write } from '@e965/xlsx'
import {
  Field,
  Int32,
  List,
  Struct,
  Table,
  TimestampNanosecond,
  tableFromArrays,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow'
import { Compression, Table as ParquetTable, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm'
import initSqlite from 'sql.js'

/** The three rows that every file contains. */
export const cities = [
  { city: 'Köln', people: 1_084_831, founded: 50, isPort: true },
  { city: '京都', people: 1_464_890, founded: 794, isPort: false },
  { city: 'São Paulo', people: 11_451_999, founded: 1554, isPort: null },
]

const columnsOf = () =>
  tableFromArrays({
    city: cities.map(({ city }) => city),
    people: BigInt64Array.from(cities, ({ people }) => BigInt(people)),
    founded: Int32Array.from(cities, ({ founded }) => founded),
    isPort: cities.map(({ isPort }) => isPort),
  })

export const citiesJson = (): Buffer => Buffer.from(JSON.stringify(cities))
export const citiesNdjson = (): Buffer => Buffer.from(cities.map((city) => JSON.stringify(city)).join('\n'))
export const citiesCsv = (): Buffer => Buffer.from(utils.sheet_to_csv(utils.json_to_sheet(cities)))
export const packed = (bytes: Buffer): Buffer => gzipSync(bytes)
export const citiesArrow = (wrapping: 'file' | 'stream'): Buffer => Buffer.from(tableToIPC(columnsOf(), wrapping))

export function citiesParquet(compression: keyof typeof Compression): Buffer {
  const table = ParquetTable.fromIPCStream(tableToIPC(columnsOf(), 'stream'))
  const properties = new WriterPropertiesBuilder().setCompression(Compression[compression]).build()
  return Buffer.from(writeParquet(table, properties))
}

/** Lists, objects with names that SQL could misread, and timestamps in nanoseconds. */
export function nestedParquet(): Buffer {
  const object = new Struct([new Field('x" INTEGER), (SELECT 1', new Int32(), true)])
  const table = new Table({
    list: vectorFromArray([[1, 2], null], new List(new Field('item', new Int32(), true))),
    object: vectorFromArray([{ 'x" INTEGER), (SELECT 1': 7 }, null], object),
    at: vectorFromArray([1_767_225_600_123, null], new TimestampNanosecond()),
  })
  return Buffer.from(writeParquet(ParquetTable.fromIPCStream(tableToIPC(table, 'stream'))))
}

/** A title above the table, a date, a formula, an error, a second sheet, and a hidden third one. */
export function workbook(type: 'xlsx' | 'biff8' = 'xlsx'): Buffer {
  const book = utils.book_new()
  const first = utils.aoa_to_sheet([
    ['Cities of 2026'],
    [],
    ['city', 'people', 'visited', 'at', 'rate'],
    ['Köln', 1_084_831, 46_000, 46_000.5, 0.5],
    ['京都', 1_464_890, 46_031, 46_031.25, 0.25],
    ['São Paulo', 11_451_999, null, null, null],
  ])
  for (const row of [4, 5]) {
    Object.assign(first[`C${row}`], { z: 'yyyy-mm-dd' })
    Object.assign(first[`D${row}`], { z: 'dd.mm.yyyy hh:mm' })
  }
  Object.assign(first, { F3: { t: 's', v: 'twice' }, F4: { t: 'n', f: 'B4*2', v: 2_169_662 }, F5: { t: 'e', v: 42 } })
  first['!ref'] = 'A1:F6'
  utils.book_append_sheet(book, first, 'Größte Städte')
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['id', 'zip'],
      [1, '01067'],
      [2, '50667'],
    ]),
    'zips',
  )
  utils.book_append_sheet(book, utils.aoa_to_sheet([]), 'empty')
  utils.book_append_sheet(book, utils.aoa_to_sheet([['x'], [1]]), 'notes')
  book.Workbook = { Sheets: [{}, {}, {}, { Hidden: 1 }] }
  const bytes: Uint8Array = write(book, { type: 'buffer', bookType: type })
  // Read back once, so that a mistake of the writer is not blamed on our reader.
  read(bytes)
  return Buffer.from(bytes)
}

export async function database(): Promise<Buffer> {
  const { Database } = await initSqlite()
  const made = new Database()
  made.run(`CREATE TABLE "my cities" (city TEXT, people INTEGER, big INTEGER, ratio REAL, seen TEXT, mark BLOB);
    INSERT INTO "my cities" VALUES
      ('Köln', 1084831, 9007199254740993, 0.5, '2026-01-31 10:00:00', x'00ff'),
      ('京都', 1464890, -1, NULL, '2026-02-01 00:00:00', NULL);
    CREATE TABLE zips (id INTEGER PRIMARY KEY, zip TEXT);
    INSERT INTO zips VALUES (1, '01067');
    CREATE VIEW big_cities AS SELECT city FROM "my cities" WHERE people > 1200000`)
  const bytes = Buffer.from(made.export())
  made.close()
  return bytes
}

/** Contains an endless view. */
export async function endlessDatabase(): Promise<Buffer> {
  const { Database } = await initSqlite()
  const made = new Database()
  made.run(`CREATE TABLE zips (id INTEGER PRIMARY KEY, zip TEXT);
    INSERT INTO zips VALUES (1, '01067');
    CREATE VIEW loopy AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r`)
  const bytes = Buffer.from(made.export())
  made.close()
  return bytes
}
