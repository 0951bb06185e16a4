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

describe('what is bound', () => {
  it('takes booleans as 0 and 1, where the binding alone would end the process', () => {
    insert(true, null, null)
    insert(false, null, null)
    expect(readAll()).toMatchObject([{ number: 1 }, { number: 0 }])
  })

  it('takes bytes, also as the only parameter, and gives them back as Uint8Array', () => {
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
  it.each(refused)('refuses what would be kept as something else: %s', (value) => {
    expect(() => insert(1, value, null)).toThrow(TypeError)
    expect(readAll()).toEqual([])
  })

  it('refuses too few and too many parameters', () => {
    expect(() => insert(1, 'two')).toThrow('2 parameters for the 3 places')
    expect(() => insert(1, 'two', null, 4)).toThrow('4 parameters for the 3 places')
    expect(() => database.prepare(`select '?', "word?" from (select 1 as "word?") where 1 = ?`).all([])).toThrow(
      '0 parameters',
    )
  })
})

describe('statements', () => {
  it('can be walked by two at once', () => {
    insert(1, 'a', null)
    insert(2, 'b', null)
    const [one, other] = [1, 2].map(() => database.prepare('select number from kept order by number').iterate([]))
    expect([one?.next().value, other?.next().value, one?.next().value, other?.next().value]).toEqual(
      [1, 1, 2, 2].map((number) => ({ number })),
    )
  })

  it('sees columns that came after it was prepared', () => {
    insert(1, 'a', null)
    readAll()
    database.prepare('alter table kept add column later text').run([])
    expect(readAll()).toEqual([{ number: 1, word: 'a', bytes: null, later: null }])
  })

  it('is refused once the database is closed', () => {
    database.close()
    expect(() => readAll()).toThrow('closed')
  })
})

describe('under Kysely', () => {
  it('rolls back what a failed transaction wrote and says why it failed', async () => {
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
