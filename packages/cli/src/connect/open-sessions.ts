import { openLog } from '@quarterdeck/engine'
import { dataFolder, type JsonFlags } from '../flags/runtime-options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { connectServer } from './connect-server.ts'

/** The read operations of sessions. */
export type ReadSessions = Pick<
  Awaited<ReturnType<typeof openLog>>,
  'listSessions' | 'getSession' | 'readEvents' | 'close'
>

/** Reads from the server in QUARTERDECK_URL, or else from the data folder, whether or not a server runs on it. */
export async function openSessions(terminal: Terminal, flags: JsonFlags): Promise<ReadSessions> {
  if (terminal.env.QUARTERDECK_URL === undefined) return openLog(dataFolder(terminal, flags))
  const { listSessions, getSession, readEvents } = await connectServer(terminal, flags)
  return { listSessions, getSession, readEvents, close: async () => undefined }
}
