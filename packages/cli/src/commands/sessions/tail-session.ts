// `quarterdeck sessions tail`: follows a session, as text or as one JSON event per line.
import { openLog } from '@quarterdeck/engine'
import {
  isClosedStatus,
  isDurable,
  QuarterdeckError,
  type SessionId,
  type SessionState,
  type StreamedEvent,
} from '@quarterdeck/protocol'
import { connectServerIfRunning } from '../../connect/connect-server.ts'
import { dataFolder, type JsonFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { paletteFor } from '../../render/palette.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { untilSignal } from '../../terminal/until-signal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'
import { createTranscriptPrinter } from './transcript-printer.ts'

export interface TailFlags extends JsonFlags {
  readonly after?: number
}

/** Ends when the session closes or at Ctrl-C. */
export async function tailSession(terminal: Terminal, input: { id: string; flags: TailFlags }): Promise<number> {
  const sessionId = sessionIdOf(terminal, input.id)
  const { signal, leave, forget } = untilSignal(terminal)
  terminal.stdout.on('error', leave) // the reader is gone
  try {
    const opening = openSource(terminal, { sessionId, flags: input.flags, signal })
    await useAndClose(opening, (source) => show(terminal, input.flags, source))
    return 0
  } finally {
    forget()
    terminal.stdout.off('error', leave)
  }
}

interface Tail {
  readonly sessionId: SessionId
  readonly flags: TailFlags
  readonly signal: AbortSignal
}

interface Source {
  readonly session: SessionState
  readonly events: AsyncIterable<StreamedEvent>
  close(): Promise<void>
}

/** A running server streams every word; without one the log is polled each second. */
async function openSource(terminal: Terminal, { sessionId, flags, signal }: Tail): Promise<Source> {
  const after = flags.after ?? 0
  const client = await connectServerIfRunning(terminal, flags)
  if (client !== null) {
    const { session } = await client.getSession(sessionId)
    requireEvent(session, after)
    return { session, events: client.follow(sessionId, { after, signal }), close: async () => undefined }
  }
  const log = await openLog(dataFolder(terminal, flags))
  try {
    const { session } = await log.getSession(sessionId)
    requireEvent(session, after)
    if (!isClosedStatus(session.status)) {
      const dataDir = dataFolder(terminal, flags)
      remark(terminal, `no server is running on ${dataDir}: waiting for new events in its log. Ctrl-C ends it.`)
    }
    return { session, events: log.follow(sessionId, after, signal), close: log.close }
  } catch (error) {
    await log.close()
    throw error
  }
}

/** Nothing more will come from a closed session, after any event. */
function requireEvent({ sessionId, seq, status }: SessionState, after: number): void {
  if (after <= seq || isClosedStatus(status)) return
  throw new QuarterdeckError('cursor.beyond-log', `--after ${after}: the last event of ${sessionId} is ${seq}`)
}

async function show(terminal: Terminal, flags: TailFlags, { session, events }: Source): Promise<void> {
  const palette = paletteFor(terminal.stdout, terminal.env)
  const printEvent = createTranscriptPrinter(terminal, {
    session,
    flags,
    hasIds: false,
    write: (text) => terminal.stdout.write(text),
  })
  const reportClosed = () => {
    if (flags.json !== true) remark(terminal, palette.dim('the session is closed'))
  }
  let isOver = isClosedStatus(session.status)
  // A closed session writes no further events.
  if (isOver && (flags.after ?? 0) >= session.seq) return reportClosed()
  for await (const event of events) {
    if (flags.json !== true) printEvent(event)
    else if (isDurable(event)) print(terminal, jsonText(event, 0))
    if (event.type === 'AgentSessionStatusChanged') isOver = isClosedStatus(event.data.to)
    if (isOver && isDurable(event) && event.seq >= session.seq) return reportClosed()
  }
}
