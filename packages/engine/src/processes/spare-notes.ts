// A spare has its folders before it has a session. A note about each lets the next server remove what a kill left behind.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionId } from '@quarterdeck/protocol'

export interface SpareNotes {
  add(sessionId: SessionId): Promise<void>
  /** There is a session now, or nothing at all. */
  remove(sessionId: SessionId): Promise<void>
  /** Removes the folders of those that never became a session; resolves with how many there were. */
  sweep(isSession: (sessionId: SessionId) => Promise<boolean>): Promise<number>
}

export interface SpareNotesOptions {
  /** Where the notes are. */
  readonly folder: string
  /** Folders that hold one folder for each session, by its id. */
  readonly sessionFolders: readonly string[]
}

export function createSpareNotes({ folder, sessionFolders }: SpareNotesOptions): SpareNotes {
  const remove = (sessionId: SessionId) => rm(join(folder, sessionId), { force: true })

  async function notes(): Promise<readonly SessionId[]> {
    try {
      const names = await readdir(folder)
      return names.flatMap((name) => SessionId.safeParse(name).data ?? [])
    } catch {
      // No process was ever kept ready here.
      return []
    }
  }

  return {
    async add(sessionId) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, sessionId), '')
    },
    remove,
    async sweep(isSession) {
      let removed = 0
      for (const sessionId of await notes()) {
        if (!(await isSession(sessionId))) {
          for (const parent of sessionFolders) await rm(join(parent, sessionId), { recursive: true, force: true })
          removed += 1
        }
        await remove(sessionId)
      }
      return removed
    },
  }
}
