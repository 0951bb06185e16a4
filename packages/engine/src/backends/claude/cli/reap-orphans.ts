import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRecords, removeRecord } from '../../../isolation/process-record.ts'
import { killTree } from '../../../isolation/process-tree.ts'
import { scratchFolders, scratchName } from '../../../isolation/scratch-folder.ts'
import { isRunning } from '../../../system/linux-processes.ts'
import { listNoFollow } from './no-follow-files.ts'

/**
 * Kills processes that a dead server left running: an orphan would continue to spend money and run tools. It touches
 * only recorded processes, identified by pid and start time or by the marker in their environment. Processes of a
 * running server are ignored. Resolves with their number once they have exited and their scratch folders are removed.
 */
export async function reapOrphans(dataDir: string): Promise<number> {
  let ended = 0
  for (const { process, owner, marker } of readRecords(dataDir)) {
    if (isRunning(owner)) continue
    ended += await killTree(process, marker)
    removeRecord(dataDir, marker)
  }
  sweepScratch(dataDir)
  return ended
}

/** A running server creates the folder shortly before it records the process. */
const justMadeMs = 60_000

function sweepScratch(dataDir: string): void {
  const scratch = scratchFolders(dataDir)
  const used = new Set(readRecords(dataDir).map(({ marker }) => scratchName(marker)))
  for (const { name } of listNoFollow(scratch)) {
    const folder = join(scratch, name)
    const madeAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (!used.has(name) && Date.now() - madeAt > justMadeMs) rmSync(folder, { recursive: true, force: true })
  }
}
