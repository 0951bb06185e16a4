// Reads a data folder without taking it: a running server is not disturbed and nothing is recovered.
import { existsSync } from 'node:fs'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { dataFolders } from './data-folders.ts'
import { randomIds } from './random-ids.ts'
import { createReader, type SessionReader } from './sessions/create-reader.ts'
import { createSqlStore } from './store/sql/create-sql-store.ts'

export interface OpenLog extends SessionReader {
  close(): Promise<void>
}

export async function openLog(dataDir: string): Promise<OpenLog> {
  const file = dataFolders(dataDir).database
  if (!existsSync(file)) {
    throw new QuarterdeckError(
      'config.unreadable',
      `${dataDir} holds no sessions: say --data FOLDER, or start one first`,
    )
  }
  const store = await createSqlStore({ file, clock: { now: () => new Date() }, ids: randomIds })
  return { ...createReader({ store, openTexts: () => null }), close: () => store.close() }
}
