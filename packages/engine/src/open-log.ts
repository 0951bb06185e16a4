// Reads a data folder without taking it: a running server is not disturbed, and nothing is recovered.
import { existsSync } from 'node:fs'
import { QuarterdeckError, withParsedInput } from '@quarterdeck/protocol'
import type { Loss } from './audit/find-loss.ts'
import { readHeads } from './audit/heads-file.ts'
import { createAuditOperations } from './sessions/api/audit.ts'
import { createUsageOperation } from './sessions/api/budgets.ts'
import { createInboxOperations } from './sessions/api/inbox.ts'
import { createReadOperations } from './sessions/api/read.ts'
import { inProcessOperations, type SessionService } from './sessions/session-service.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'
import { refuseMissingDatabase } from './store/sql/open-data-store.ts'
import { dataFolders } from './system/data-folders.ts'
import { isHolderAlive } from './system/holder-identity.ts'
import { createInProcessBus } from './system/in-process-bus.ts'
import { randomIds } from './system/random-ids.ts'

type Reads = Pick<
  SessionService,
  | 'usage'
  | keyof ReturnType<typeof createReadOperations>
  | keyof ReturnType<typeof createInboxOperations>
  | keyof ReturnType<typeof createAuditOperations>
>

export interface OpenLog extends Reads {
  /** Finds commits in a copy of the heads that the database lacks. Throws `config.unreadable` for a file without heads. */
  compareWithCopy(file: string): Promise<Loss | null>
  /** The address of the server that works on this folder now. */
  serverAddress(): Promise<string | null>
  close(): Promise<void>
}

export async function openLog(dataDir: string): Promise<OpenLog> {
  const file = dataFolders(dataDir).database
  await refuseMissingDatabase(dataDir)
  if (!existsSync(file)) {
    throw new QuarterdeckError(
      'config.unreadable',
      `${dataDir} contains no sessions: pass --data FOLDER, or start a session first`,
    )
  }
  const store = await createSqlStore({ file, clock: { now: () => new Date() }, ids: randomIds })
  const reads = {
    ...createReadOperations({ store, bus: createInProcessBus(), openTexts: () => null, queuePosition: () => null }),
    ...createInboxOperations(store),
    ...createAuditOperations(store),
    usage: createUsageOperation(store),
  }
  return {
    ...withParsedInput<Reads>(inProcessOperations, reads),
    async compareWithCopy(copy) {
      const notes = await readHeads(copy)
      if (notes.length > 0) return store.findLoss(notes)
      throw new QuarterdeckError(
        'config.unreadable',
        `${copy} contains no heads of an audit chain: pass a file that "serve --audit-copy" wrote`,
      )
    },
    async serverAddress() {
      const servers = (await store.holders()).filter((holder) => holder.role === 'server' && isHolderAlive(holder))
      return servers[0]?.address ?? null
    },
    close: () => store.close(),
  }
}
