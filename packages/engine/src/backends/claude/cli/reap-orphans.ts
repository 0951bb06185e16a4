import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readRecords, removeRecord } from '../../../isolation/process-record.ts'
import { killTree } from '../../../isolation/process-tree.ts'
import { scratchFolders, scratchName } from '../../../isolation/scratch-folder.ts'
import { isRunning } from '../../../system/linux-processes.ts'
import { listNoFollow } from './no-follow-files.ts'

/**
 * Ends what a dead server left running: an orphan would go on spending and running tools. Only processes we noted
 * ourselves, known by pid and start time or by the marker their environment carries; those of a living server are left
 * alone. Returns how many were ended, when they are gone and their scratch folders with them.
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

/** A living server makes the folder a moment before it notes the process. */
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
