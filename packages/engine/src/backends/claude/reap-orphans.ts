import { isRunning } from '../../processes.ts'
import { readRecords, removeRecord } from './process-record.ts'
import { killTree } from './process-tree.ts'

/**
 * Ends what a dead server left running: an orphan would go on spending and running tools. Only processes we noted
 * ourselves, known by pid and start time or by the marker their environment carries; those of a living server are left
 * alone. Returns how many were ended, when they are gone.
 */
export async function reapOrphans(dataDir: string): Promise<number> {
  let ended = 0
  for (const { process, owner, marker } of readRecords(dataDir)) {
    if (isRunning(owner)) continue
    ended += await killTree(process, marker)
    removeRecord(dataDir, marker)
  }
  return ended
}
