import { join } from 'node:path'

/** The layout of a data folder. Agents must never reach the paths under `hidden`. */
export function dataFolders(dataDir: string) {
  const token = join(dataDir, 'token')
  const databaseFolder = join(dataDir, 'db')
  return {
    token,
    databaseFolder,
    database: join(databaseFolder, 'quarterdeck.db'),
    /** The key for the hashes of calls. */
    callKey: join(databaseFolder, 'call-key'),
    /** The indexes of search tools. */
    retrieval: join(databaseFolder, 'retrieval'),
    workspaces: join(dataDir, 'workspaces'),
    /** The Claude CLI's files of each session. */
    claude: join(dataDir, 'claude'),
    /** The conversations of the in-process loop. */
    loop: join(dataDir, 'loop'),
    spares: join(dataDir, 'spares'),
    /** The home folders of tools' subprocesses. */
    toolHomes: join(dataDir, 'tool-homes'),
    hidden: [token, databaseFolder],
  }
}
