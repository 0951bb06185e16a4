import { join } from 'node:path'

/** What lies where below a data folder. Everything an agent must never reach is under `hidden`. */
export function dataFolders(dataDir: string) {
  const token = join(dataDir, 'token')
  const databaseFolder = join(dataDir, 'db')
  return {
    token,
    databaseFolder,
    database: join(databaseFolder, 'quarterdeck.db'),
    /** What the hashes of calls are made with. */
    callKey: join(databaseFolder, 'call-key'),
    /** What search tools made of documents. */
    retrieval: join(databaseFolder, 'retrieval'),
    workspaces: join(dataDir, 'workspaces'),
    /** What the Claude CLI keeps of each session. */
    claude: join(dataDir, 'claude'),
    /** The conversations of the in-process loop. */
    loop: join(dataDir, 'loop'),
    spares: join(dataDir, 'spares'),
    /** What the subprocesses of tools have for a home. */
    toolHomes: join(dataDir, 'tool-homes'),
    hidden: [token, databaseFolder],
  }
}
