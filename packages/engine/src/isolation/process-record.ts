// A record on disk of each started process, so that the next server can end processes that this one left behind.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Identity = z.object({ pid: z.int().positive(), startTime: z.string().nullable() })

export const ProcessRecord = z.object({
  process: Identity,
  /** The server that started it. */
  owner: Identity,
  marker: z.string().min(1),
})
export type ProcessRecord = z.infer<typeof ProcessRecord>

const folderOf = (dataDir: string) => join(dataDir, 'processes')
const fileOf = (dataDir: string, marker: string) => join(folderOf(dataDir), `${marker}.json`)

/** Synchronous: the record must exist before anything else happens after the start. */
export function writeRecord(dataDir: string, record: ProcessRecord): void {
  mkdirSync(folderOf(dataDir), { recursive: true, mode: 0o700 })
  writeFileSync(fileOf(dataDir, record.marker), JSON.stringify(record))
}

export function removeRecord(dataDir: string, marker: string): void {
  rmSync(fileOf(dataDir, marker), { force: true })
}

export function readRecords(dataDir: string): readonly ProcessRecord[] {
  return listFiles(folderOf(dataDir)).flatMap((file) => {
    const record = ProcessRecord.safeParse(readJson(file))
    if (record.success) return [record.data]
    // Half-written in a crash: it names no process, and would be read again forever.
    rmSync(file, { force: true })
    return []
  })
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name))
  } catch {
    // No process was ever started here.
    return []
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // The caller removes records it cannot read.
    return null
  }
}
