// The baseline of the storage measurements: the driver alone, with the same tables and settings.
import Libsql from 'libsql'

/** Same values as open-database.ts of the store. */
const pragmas = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on', 'busy_timeout = 50']

/** @param {string} file */
export function openRaw(file) {
  const database = new Libsql(file)
  for (const pragma of pragmas) database.prepare(`pragma ${pragma}`).all([])
  return database
}

/** @typedef {ReturnType<typeof openRaw>} RawDatabase */

const sessionColumns = 'session_id, seq, status, agent_name, owner, created_at, updated_at, state'

/** @param {RawDatabase} database */
export const addRawSession = (database) =>
  database.prepare(`insert into sessions (${sessionColumns}) values (?, ?, ?, ?, ?, ?, ?, ?)`)

/**
 * The statements of an append, prepared once.
 * @param {RawDatabase} database
 */
export function prepareRawAppend(database) {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const update = database.prepare(
    'update sessions set seq = ?, updated_at = ?, state = ? where session_id = ? and seq = ?',
  )
  const insert = database.prepare("insert into stream_events values (null, 'session', ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  const readHead = database.prepare('select entries, hash from audit_head where id = 1')
  const insertEntry = database.prepare('insert into audit values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const moveHead = database.prepare('update audit_head set entries = ?, hash = ? where id = 1')
  /**
   * Each event has an audit entry, written as the store writes it but with placeholder hashes.
   * @param {{ session: readonly unknown[], events: readonly (readonly unknown[])[], entries: readonly (readonly
   * unknown[])[] }} rows
   */
  return ({ session, events, entries }) => {
    begin.run([])
    update.run([...session])
    for (const event of events) insert.run([...event])
    readHead.all([])
    for (const entry of entries) insertEntry.run([...entry])
    moveHead.run([entries.at(-1)?.[0], 'f'.repeat(64)])
    commit.run([])
  }
}

const eventColumns = 'kind, stream_id, seq, id, at, type, agent, turn_id, data, v'

/**
 * A page of events, as returned by the driver.
 * @param {RawDatabase} database
 */
export function prepareRawRead(database) {
  const read = database.prepare(
    `select ${eventColumns} from stream_events where kind = 'session' and stream_id = ? and seq > ? order by seq limit ?`,
  )
  /**
   * @param {string} sessionId
   * @param {number} after
   * @param {number} limit
   * @returns {any[]}
   */
  return (sessionId, after, limit) => read.all([sessionId, after, limit])
}
