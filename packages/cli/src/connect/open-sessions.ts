import { openLog } from '@quarterdeck/engine'
import { dataFolder } from '../flags/runtime-options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { connectServer, type ServerFlags } from './connect-server.ts'

/** The read operations of sessions. */
export type ReadSessions = Pick<Awaited<ReturnType<typeof openLog>>, 'list' | 'snapshot' | 'events' | 'close'>

/** Reads from the server in QUARTERDECK_URL, or else from the data folder, whether or not a server runs on it. */
export async function openSessions(terminal: Terminal, flags: ServerFlags): Promise<ReadSessions> {
  if (terminal.env.QUARTERDECK_URL === undefined) return openLog(dataFolder(terminal, flags))
  const client = await connectServer(terminal, flags)
  return {
    list: client.listSessions,
    snapshot: client.getSession,
    events: (sessionId, after, limit) => client.readEvents(sessionId, { after: String(after), limit }),
    close: async () => undefined,
  }
}
