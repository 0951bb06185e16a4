import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LibsqlDatabase, openLibsql } from './libsql-database.ts'
import { LibsqlDialect } from './libsql-dialect.ts'

let database: LibsqlDatabase

beforeEach(() => {
  database = openLibsql(':memory:')
  database.prepare('create table kept (number integer, word text, bytes blob)').run([])
})
afterEach(() => database.close())

const insert = (...parameters: unknown[]) => database.prepare('insert into kept values (?, ?, ?)').run(parameters)
const readAll = () => database.prepare('select * from kept').all([])

describe('bound parameters', () => {
  it('may be booleans, stored as 0 and 1, which would crash the binding itself', () => {
    insert(true, null, null)
    insert(false, null, null)
    expect(readAll()).toMatchObject([{ number: 1 }, { number: 0 }])
  })

  it('may be bytes, even as the only parameter, returned as Uint8Array', () => {
    database.prepare('insert into kept (bytes) values (?)').run([Buffer.from([1, 2, 255])])
    expect(readAll()).toEqual([{ number: null, word: null, bytes: new Uint8Array([1, 2, 255]) }])
    expect([...database.prepare('select bytes from kept').iterate([])]).toEqual([
      { bytes: new Uint8Array([1, 2, 255]) },
    ])
  })

  const refused: readonly unknown[] = [
    ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 60n + 1n, new Date(0), {}, [1], new ArrayBuffer(2)],
    ...['cut at \u0000 the NUL', 'half \ud83d a pair', Symbol('x'), () => 1],
  ]
  it.each(refused)('are refused if they would be stored differently: %s', (value) => {
    expect(() => insert(1, value, null)).toThrow(TypeError)
    expect(readAll()).toEqual([])
  })

  it('are refused if there are too few or too many', () => {
    expect(() => insert(1, 'two')).toThrow('2 parameters for the 3 placeholders')
    expect(() => insert(1, 'two', null, 4)).toThrow('4 parameters for the 3 placeholders')
    expect(() => database.prepare(`select '?', "word?" from (select 1 as "word?") where 1 = ?`).all([])).toThrow(
      '0 parameters',
    )
  })
})

describe('statements', () => {
  it('can be iterated twice at once', () => {
    insert(1, 'a', null)
    insert(2, 'b', null)
    const [one, other] = [1, 2].map(() => database.prepare('select number from kept order by number').iterate([]))
    expect([one?.next().value, other?.next().value, one?.next().value, other?.next().value]).toEqual(
      [1, 1, 2, 2].map((number) => ({ number })),
    )
  })

  it('see columns that were added after they were prepared', () => {
    insert(1, 'a', null)
    readAll()
    database.prepare('alter table kept add column later text').run([])
    expect(readAll()).toEqual([{ number: 1, word: 'a', bytes: null, later: null }])
  })

  it('are refused once the database is closed', () => {
    database.close()
    expect(() => readAll()).toThrow('closed')
  })
})

describe('a Kysely transaction', () => {
  it('is rolled back when it fails and reports the reason', async () => {
    const db = new Kysely<{ kept: { number: number } }>({ dialect: new LibsqlDialect(database) })
    const failing = db.transaction().execute(async (trx) => {
      await trx.insertInto('kept').values({ number: 1 }).execute()
      // A full disk does this by itself.
      await sql`rollback`.execute(trx)
      throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect(await db.selectFrom('kept').selectAll().execute()).toEqual([])
  })
})
