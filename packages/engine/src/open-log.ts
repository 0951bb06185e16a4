// Reads a data folder without taking it: a running server is not disturbed and nothing is recovered.
import { existsSync } from 'node:fs'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Loss } from './audit/find-loss.ts'
import { readHeads } from './audit/heads-file.ts'
import { createBus } from './ports/bus.ts'
import { randomIds } from './ports/random-ids.ts'
import { createAuditOperations } from './sessions/api/audit.ts'
import { createReadOperations, type SessionReader } from './sessions/api/read.ts'
import { createUsageOperation } from './sessions/api/usage.ts'
import type { AuditOperations, BudgetOperations, SessionService } from './sessions/session-service.ts'
import { followSession } from './sessions/streaming/follow-session.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'
import { refuseMissingDatabase } from './store/sql/open-data-store.ts'
import { dataFolders } from './system/data-folders.ts'
import { isHolderAlive } from './system/process-identity.ts'

export interface OpenLog
  extends SessionReader,
    AuditOperations,
    Pick<BudgetOperations, 'usage'>,
    Pick<SessionService, 'follow'> {
  /** Commits in a copy of the heads that the database lacks. Throws `config.unreadable` for a file without heads. */
  compareWithCopy(file: string): Promise<Loss | null>
  /** Where a server answers that works on this folder now. */
  serverAddress(): Promise<string | null>
  close(): Promise<void>
}

export async function openLog(dataDir: string): Promise<OpenLog> {
  const file = dataFolders(dataDir).database
  await refuseMissingDatabase(dataDir)
  if (!existsSync(file)) {
    throw new QuarterdeckError(
      'config.unreadable',
      `${dataDir} holds no sessions: say --data FOLDER, or start one first`,
    )
  }
  const store = await createSqlStore({ file, clock: { now: () => new Date() }, ids: randomIds })
  const openTexts = () => null
  return {
    ...createReadOperations({ store, openTexts, queuePosition: () => null }),
    ...createAuditOperations(store),
    usage: createUsageOperation(store),
    follow: (sessionId, after, signal) =>
      followSession({ store, bus: createBus(), openTexts }, { sessionId, after, signal }),
    async compareWithCopy(copy) {
      const notes = await readHeads(copy)
      if (notes.length > 0) return store.findLoss(notes)
      throw new QuarterdeckError(
        'config.unreadable',
        `${copy} has no heads of an audit chain: name a file that "serve --audit-copy" wrote`,
      )
    },
    async serverAddress() {
      const servers = (await store.holders()).filter((holder) => holder.role === 'server' && isHolderAlive(holder))
      return servers[0]?.address ?? null
    },
    close: () => store.close(),
  }
}
