// A spare has folders before it has a session. A note for each lets the next server remove them after a kill.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionId } from '@quarterdeck/protocol'

export type SpareNotes = ReturnType<typeof createSpareNotes>

export interface SpareNotesOptions {
  /** The folder of the notes. */
  readonly folder: string
  /** Folders that contain one folder per session id. */
  readonly sessionFolders: readonly string[]
}

export function createSpareNotes({ folder, sessionFolders }: SpareNotesOptions) {
  /** Call when the session exists or the spare is gone. */
  const remove = (sessionId: SessionId) => rm(join(folder, sessionId), { force: true })

  async function notes(): Promise<readonly SessionId[]> {
    try {
      const names = await readdir(folder)
      return names.flatMap((name) => SessionId.safeParse(name).data ?? [])
    } catch {
      // There was never a spare in this data folder.
      return []
    }
  }

  return {
    async add(sessionId: SessionId) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, sessionId), '')
    },
    remove,
    /** Removes the folders of spares that never became a session. Resolves with their number. */
    async sweep(isSession: (sessionId: SessionId) => Promise<boolean>): Promise<number> {
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
