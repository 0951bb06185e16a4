// `quarterdeck sessions`: what the log holds. Reads only; a running server is not disturbed.
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
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { writeLines } from '../../terminal/write-lines.ts'
import { createTranscriptPrinter } from './transcript-printer.ts'

export interface SessionsFlags extends SharedFlags {
  readonly json?: boolean
  readonly limit?: number
}

export async function listSessions(terminal: Terminal, flags: SessionsFlags): Promise<number> {
  const log = await openSessions(terminal, flags)
  try {
    const { sessions } = await log.list({ limit: flags.limit ?? 50 })
    if (flags.json === true) print(terminal, jsonText(sessions))
    else if (sessions.length === 0) print(terminal, 'no sessions yet. Start one: quarterdeck chat examples/hello')
    else {
      const width = Math.max(...sessions.map(({ sessionId }) => sessionId.length))
      for (const session of sessions) print(terminal, row(session, width))
    }
    return 0
  } finally {
    await log.close()
  }
}

export async function showSession(terminal: Terminal, input: { id: string; flags: SessionsFlags }): Promise<number> {
  const sessionId = sessionIdOf(input.id)
  const log = await openSessions(terminal, input.flags)
  try {
    const { session } = await log.snapshot(sessionId)
    const isJson = input.flags.json === true
    async function* lines() {
      if (!isJson) yield `${row(session)}\n${visibleText(`${modelLabel(session)} in ${session.cwd}`)}\n`
      let written = ''
      const write = (text: string) => {
        written += text
      }
      const tell = createTranscriptPrinter(terminal, { session, write, hasIds: true })
      for (let after = 0, hasMore = true; hasMore; ) {
        const page = await log.events(sessionId, after, 1000)
        for (const event of page.events) {
          if (isJson) yield `${jsonText(inLetters(event), 0)}\n`
          else {
            tell(event)
            if (written !== '') yield written
            written = ''
          }
        }
        after = page.lastSeq
        hasMore = page.hasMore
      }
    }
    await writeLines(terminal, lines())
    return 0
  } finally {
    await log.close()
  }
}

/** The event, with what each picture is instead of the picture: an export has them whole. */
const inLetters = (event: SessionEvent): object =>
  event.type === 'UserMessageQueued' && event.data.images !== undefined
    ? { ...event, data: { ...event.data, images: event.data.images.map(pictureFacts) } }
    : event

const pictureFacts = ({ mediaType, data }: InputImage) => ({ mediaType, bytes: imageBytes(data) })

/** `width` is that of the longest id of the list: a fork's is longer than others. */
function row(session: SessionState, width = 0): string {
  const { sessionId, status, agentName, title, createdAt } = session
  const facts = [
    sessionId.padEnd(width),
    status.padEnd(16),
    agentName.padEnd(12),
    formatSpent(session).padStart(9),
    createdAt.slice(0, 16),
  ]
  return `${facts.join('  ')}  ${visibleText(title)}`
}
