// `quarterdeck sessions`: reads the log and does not disturb a running server.
import { allEvents } from '@quarterdeck/client'
import {
  formatSpent,
  type InputImage,
  imageBytes,
  modelLabel,
  type SessionEvent,
  type SessionState,
  visibleText,
} from '@quarterdeck/protocol'
import { openSessions } from '../../connect/open-sessions.ts'
import type { JsonFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { formatTable } from '../../render/format-table.ts'
import { utcMinute } from '../../render/utc-minute.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'
import { writeLines } from '../../terminal/write-lines.ts'
import { createTranscriptPrinter } from './transcript-printer.ts'

export interface SessionsFlags extends JsonFlags {
  readonly limit?: number
}

export async function listSessions(terminal: Terminal, flags: SessionsFlags): Promise<number> {
  return useAndClose(openSessions(terminal, flags), async (log) => {
    const { sessions } = await log.listSessions({ limit: flags.limit ?? 50 })
    if (flags.json === true) print(terminal, jsonText(sessions))
    else if (sessions.length === 0)
      print(terminal, `no sessions yet. Start one: ${commandLine(terminal)} chat examples/hello`)
    else for (const line of table(sessions)) print(terminal, line)
    return 0
  })
}

export async function showSession(terminal: Terminal, input: { id: string; flags: SessionsFlags }): Promise<number> {
  const sessionId = sessionIdOf(terminal, input.id)
  return useAndClose(openSessions(terminal, input.flags), async (log) => {
    const { session } = await log.getSession(sessionId)
    const isJson = input.flags.json === true
    async function* lines() {
      if (!isJson) {
        yield `${table([session])[0]}\n${visibleText(`${modelLabel(session)} in ${session.cwd}`)}\n`
        const source = session.forkedFrom
        if (source !== null) yield `forked from ${source.sessionId} after event ${source.seq}\n`
      }
      let written = ''
      const write = (text: string) => {
        written += text
      }
      const printEvent = createTranscriptPrinter(terminal, { session, write, hasIds: true, flags: input.flags })
      for await (const event of allEvents((query) => log.readEvents(sessionId, query))) {
        if (isJson) yield `${jsonText(withoutImageData(event), 0)}\n`
        else {
          printEvent(event)
          if (written !== '') yield written
          written = ''
        }
      }
    }
    await writeLines(terminal, lines())
    return 0
  })
}

/** The event with type and size of each image instead of its data; an export contains the data. */
const withoutImageData = (event: SessionEvent): object =>
  event.type === 'UserMessageQueued' && event.data.images !== undefined
    ? { ...event, data: { ...event.data, images: event.data.images.map(imageFacts) } }
    : event

const imageFacts = ({ mediaType, data }: InputImage) => ({ mediaType, bytes: imageBytes(data) })

function table(sessions: readonly SessionState[]): readonly string[] {
  const rows = sessions.map((session) => {
    const { sessionId, status, agentName, title, createdAt } = session
    return [sessionId, status, agentName, formatSpent(session), utcMinute(createdAt), visibleText(title)]
  })
  return formatTable(rows, (column) => column === 3)
}
