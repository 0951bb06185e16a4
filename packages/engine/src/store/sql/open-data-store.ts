// Opens the database of a data folder, and refuses a database that has lost commits.
import { readdir, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasErrorCode, type QuarterdeckError } from '@quarterdeck/protocol'
import type { AuditDraft } from '../../audit/audit-entry.ts'
import type { HeadNote } from '../../audit/head-note.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import { dataFolders } from '../../system/data-folders.ts'
import { makeFolder } from '../../system/make-folder.ts'
import type { EventStore } from '../ports/event-store.ts'
import { acceptLossHint, folderFailure, storeUnreadable } from '../ports/store-errors.ts'
import { createSqlStore, headsBeside } from './create-sql-store.ts'

interface DataStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  readonly ids: Ids
  /** Opens a database that has lost data, and records this in the audit chain. */
  readonly acceptLoss?: boolean
  readonly onHead?: ((note: HeadNote) => void) | undefined
  /** Called with the loss when it is accepted. */
  readonly onLoss?: (what: string) => void
}

/** Throws `store.corrupt` for a database that is missing or behind its notes, unless the loss is accepted. */
export async function openDataStore(options: DataStoreOptions): Promise<EventStore> {
  const { dataDir, acceptLoss = false, onLoss, ...parts } = options
  const { databaseFolder, database } = dataFolders(dataDir)
  const missing = await missingDatabase(dataDir)
  if (missing !== null && !acceptLoss) throw lossRefused(dataDir, missing)
  if (missing !== null) await setAside(database, parts.clock.now())
  await makeFolder(databaseFolder, 0o700).catch((error: unknown) => {
    throw folderFailure(dataDir, error)
  })
  const store = await createSqlStore({ file: database, ...parts })
  try {
    const loss = await store.findLoss()
    if (loss !== null && !acceptLoss) throw lossRefused(dataDir, `${database} has lost data: ${loss.detail}`)
    const lost = [missing, loss?.detail].filter((part) => typeof part === 'string').join('; ')
    if (lost !== '') {
      await store.acceptLoss(lossAccepted(lost))
      onLoss?.(lost)
    }
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Keeps the old files: a new database would delete a write-ahead log that can still be recovered. */
async function setAside(database: string, at: Date): Promise<void> {
  const suffix = `lost-${at.toISOString().replaceAll(/[-:]/g, '')}`
  for (const file of [database, `${database}-wal`, `${database}-shm`]) {
    await rename(file, `${file}.${suffix}`).catch((error: unknown) => {
      if (!hasErrorCode(error, 'ENOENT')) throw error
    })
  }
}

export function lossAccepted(what: string): AuditDraft {
  return { principal: 'operator', action: 'loss.accepted', sessionId: null, subject: 'database', detail: { what } }
}

/** Call it before opening: opening would create a new database, and delete the write-ahead log of an empty one. */
export async function refuseMissingDatabase(dataDir: string): Promise<void> {
  const missing = await missingDatabase(dataDir)
  if (missing !== null) throw lossRefused(dataDir, missing)
}

const lossRefused = (dataDir: string, what: string): QuarterdeckError =>
  storeUnreadable(`${what}. Restore ${dataFolders(dataDir).databaseFolder} from a backup, or ${acceptLossHint}`)

/** A sentence if the database is missing although the folder has files that only exist with one; `null` otherwise. */
async function missingDatabase(dataDir: string): Promise<string | null> {
  const { database } = dataFolders(dataDir)
  const size = await sizeOf(database)
  if (size !== null && size > 0) return null
  const traces = await tracesOf(dataDir)
  if (traces.length === 0) return null
  const state = size === null ? 'is missing' : 'is empty (0 bytes)'
  return `${database} ${state}, but ${dataDir} was in use: it has ${traces.join(', ')}`
}

async function tracesOf(dataDir: string): Promise<readonly string[]> {
  const folders = dataFolders(dataDir)
  const traces: string[] = []
  for (const folder of [folders.workspaces, folders.claude, folders.loop]) {
    const sessions = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('ses_'))
    if (sessions.length > 0) traces.push(`${join(folder, sessions[0] ?? '')}${othersText(sessions.length - 1)}`)
  }
  for (const file of [folders.callKey, headsBeside(folders.database)]) {
    if ((await sizeOf(file)) !== null) traces.push(file)
  }
  return traces
}

const othersText = (count: number): string => (count === 0 ? '' : ` and ${count} more`)

const sizeOf = async (file: string): Promise<number | null> => (await stat(file).catch(() => null))?.size ?? null
