// An append-only file of head notes. Its size is bounded: a full file is renamed to the older half, which replaces the
// previous older half.
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { hasErrorCode, messageOf, QuarterdeckError } from '@quarterdeck/protocol'
import { type HeadNote, lineOfNote, notesIn } from './head-note.ts'

export interface HeadsFile {
  /**
   * Adds a note without syncing the file. Never throws, because the commit has already succeeded: a missing note only
   * leaves the file behind the database, which is normal.
   */
  add(note: HeadNote): void
  read(): Promise<readonly HeadNote[]>
  /** Removes all notes. */
  clear(): Promise<void>
  close(): void
}

/** Thousands of commits: many times the capacity of the database's write-ahead log. */
const fullAtBytes = 1_000_000
/** Notes between two checks of the file: it may be full, or another process may have renamed it. */
const notesPerCheck = 64

const olderHalf = (file: string): string => `${file}.1`

export function openHeadsFile(file: string, maxBytes = fullAtBytes): HeadsFile {
  let opened: number | null = null
  let added = 0
  // After a crash or a failed write the last line may be torn: the next note then starts on a line of its own.
  let isAfterTornLine = true

  function close(): void {
    if (opened !== null) closeSync(opened)
    opened = null
    isAfterTornLine = true
  }

  function rotateIfFull(open: number): void {
    const { size, ino } = fstatSync(open)
    const isMoved = statSync(file, { throwIfNoEntry: false })?.ino !== ino
    if (!isMoved && size > maxBytes) renameSync(file, olderHalf(file))
    if (isMoved || size > maxBytes) close()
  }

  return {
    add(note) {
      const text = (isAfterTornLine ? '\n' : '') + lineOfNote(note)
      isAfterTornLine = true
      try {
        opened ??= openSync(file, 'a', 0o600)
        isAfterTornLine = writeSync(opened, text) !== Buffer.byteLength(text)
        if (added++ % notesPerCheck === 0) rotateIfFull(opened)
      } catch {
        // A full or read-only disk: the next write to the database reports it.
      }
    },
    read: () => readHeads(file),
    async clear() {
      close()
      for (const half of [olderHalf(file), file]) await rm(half, { force: true })
    },
    close,
  }
}

/** Both halves, oldest note first. A file that does not exist has no notes. */
export async function readHeads(file: string): Promise<readonly HeadNote[]> {
  const halves = await Promise.all([olderHalf(file), file].map(textOf))
  return halves.flatMap(notesIn)
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return ''
    const why = messageOf(error)
    throw new QuarterdeckError('store.corrupt', `the heads of the audit chain in ${file} cannot be read: ${why}`)
  })

/** Adds a note to a file on another disk or share, which may be slow. */
export async function appendHead(file: string, note: HeadNote, maxBytes = fullAtBytes): Promise<void> {
  await appendFile(file, `\n${lineOfNote(note)}`, { mode: 0o600 })
  if ((await stat(file)).size > maxBytes) await rename(file, olderHalf(file))
}
