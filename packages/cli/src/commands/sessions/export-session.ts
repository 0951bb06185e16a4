// `quarterdeck sessions export`: the whole log of a session as events or as a document.

import { Readable } from 'node:stream'
import { allEvents } from '@quarterdeck/client'
import {
  emptyTranscript,
  foldTranscript,
  type SessionEvent,
  type SessionState,
  visibleJson,
  visibleText,
} from '@quarterdeck/protocol'
import { openSessions } from '../../connect/open-sessions.ts'
import type { SharedFlags } from '../../flags/runtime-options.ts'
import { sessionIdOf } from '../../flags/session-id.ts'
import { remark, type Terminal } from '../../terminal/terminal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'
import { writeLines } from '../../terminal/write-lines.ts'
import { writeOut } from '../../terminal/write-out.ts'
import { transcriptMarkdown } from './transcript-markdown.ts'

export interface ExportFlags extends SharedFlags {
  readonly format?: 'jsonl' | 'markdown'
  readonly out?: string
}

export async function exportSession(terminal: Terminal, input: { id: string; flags: ExportFlags }): Promise<number> {
  const { format = 'jsonl', out } = input.flags
  const sessionId = sessionIdOf(terminal, input.id)
  return useAndClose(openSessions(terminal, input.flags), async (log) => {
    const { session } = await log.getSession(sessionId)
    const events: SessionEvent[] = []
    for await (const event of allEvents((query) => log.readEvents(sessionId, query))) events.push(event)
    const text = format === 'jsonl' ? jsonLines(events) : markdownOf(session, events)
    if (out === undefined) await writeLines(terminal, Readable.from([shown(terminal, format, text)]))
    else {
      await writeOut(terminal, out, Readable.from([text]))
      remark(terminal, `${events.length} events written to ${out}`)
    }
    return 0
  })
}

/** Files and pipes get the text unchanged; on a terminal control characters are escaped. */
function shown(terminal: Terminal, format: 'jsonl' | 'markdown', text: string): string {
  if (terminal.stdout.isTTY !== true) return text
  return format === 'jsonl' ? visibleJson(text) : visibleText(text)
}

const jsonLines = (events: readonly SessionEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('')

const markdownOf = (session: SessionState, events: readonly SessionEvent[]): string =>
  transcriptMarkdown(session, foldTranscript(emptyTranscript, events), events)
