// Reads a data folder without taking it: a running server is not disturbed and nothing is recovered.
import { existsSync } from 'node:fs'
import { QuarterdeckError } from '@quarterdeck/protocol'
import type { Loss } from './audit/find-loss.ts'
import { readHeads } from './audit/heads-file.ts'
import { createBus } from './bus.ts'
import { dataFolders } from './data-folders.ts'
import { isHolderAlive } from './process-identity.ts'
import { randomIds } from './random-ids.ts'
import { createReader, type SessionReader } from './sessions/create-reader.ts'
import { followSession } from './sessions/follow-session.ts'
import { createProofDoors } from './sessions/proof-doors.ts'
import type { MoneyDoors, ProofDoors, SessionService } from './sessions/session-service.ts'
import { createUsageDoor } from './sessions/usage-door.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'
import { refuseMissingDatabase } from './store/sql/open-data-store.ts'

export interface OpenLog extends SessionReader, ProofDoors, Pick<MoneyDoors, 'usage'>, Pick<SessionService, 'follow'> {
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
    ...createReader({ store, openTexts, place: () => null }),
    ...createProofDoors(store),
    usage: createUsageDoor(store),
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
