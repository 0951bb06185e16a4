// An append-only file of head notes. It is bounded: a full file becomes the older half, and the older half before it is
// dropped.
import { closeSync, fstatSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises'
import { type HeadNote, lineOfNote, notesIn } from './head-note.ts'

export interface HeadsFile {
  /**
   * Adds a note without syncing it and never throws: the commit it tells of has succeeded. A file that lacks notes is
   * behind the database, which is normal.
   */
  add(note: HeadNote): void
  read(): Promise<readonly HeadNote[]>
  /** Forgets every note. */
  clear(): Promise<void>
  close(): void
}

/** Some thousand commits: many times what the write-ahead log of the database can hold. */
const fullAtBytes = 1_000_000
/** How many notes are added before the file is looked at again: another process may have moved it. */
const notesPerLook = 64

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

  function look(open: number): void {
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
        if (added++ % notesPerLook === 0) look(opened)
      } catch {
        // A full or read-only disk: the database says so itself.
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })

/** Adds a note to a file elsewhere, which may be slow: nothing waits for it. */
export async function appendHead(file: string, note: HeadNote, maxBytes = fullAtBytes): Promise<void> {
  await appendFile(file, `\n${lineOfNote(note)}`, { mode: 0o600 })
  if ((await stat(file)).size > maxBytes) await rename(file, olderHalf(file))
}
