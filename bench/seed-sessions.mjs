// Fills data folders quickly: creates one session through the store and copies its rows for the others.
import { dirname, join } from 'node:path'
import { SessionId } from '@quarterdeck/protocol'
import { createSqlStore, openCallKey, randomIds } from './built.mjs'
import { addRawSession, openRaw } from './raw-database.mjs'
import { sampleDrafts, sampleSession } from './sample-events.mjs'

const clock = { now: () => new Date() }

/** @param {string} file */
export const openStore = (file) => createSqlStore({ file, clock, ids: randomIds })

/**
 * A server refuses a database with sessions and without this key.
 * @param {string} file
 */
const addCallKey = (file) => openCallKey(join(dirname(file), 'call-key'), { isInUse: async () => false })

export const newSessionId = () => SessionId.parse(randomIds.next('ses'))

/**
 * One session with this number of events.
 * @param {string} file
 * @param {number} count
 */
export async function seedLog(file, count) {
  const store = await openStore(file)
  const sessionId = newSessionId()
  await store.append(sessionId, 0, [sampleSession])
  for (let seq = 1; seq < count; ) {
    const appended = await store.append(sessionId, seq, sampleDrafts(seq - 1, Math.min(500, count - seq)))
    seq += appended.length
  }
  await store.close()
  await addCallKey(file)
  return sessionId
}

/**
 * This number of idle sessions. A tenth is completed, a hundredth belongs to another agent, and all have one tag.
 * @param {string} file
 * @param {number} count
 */
export async function seedSessions(file, count) {
  const store = await openStore(file)
  const first = newSessionId()
  await store.append(first, 0, [sampleSession])
  const state = await store.load(first)
  await store.close()
  await addCallKey(file)
  const database = openRaw(file)
  const addSession = addRawSession(database)
  const addTag = database.prepare('insert into session_tags (session_id, tag, created_at) values (?, ?, ?)')
  database.prepare('begin immediate').run([])
  for (let index = 1; index < count; index += 1) {
    const sessionId = newSessionId()
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
    const status = index % 10 === 0 ? 'completed' : 'idle'
    const agentName = index % 100 === 0 ? 'rare' : 'bench'
    const copy = { ...state, sessionId, status, agentName, createdAt: at, updatedAt: at }
    addSession.run([sessionId, 1, status, agentName, 'local', at, at, JSON.stringify(copy)])
    addTag.run([sessionId, 'bench', at])
  }
  database.prepare('commit').run([])
  database.close()
}
