// `quarterdeck sessions`: what the log of a data folder holds. Reads only; a running server is not disturbed.
import { openLog } from '@quarterdeck/engine'
import { formatSpent, modelLabel, type SessionState, visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../house-options.ts'
import { shortSubject } from '../render/tool-line.ts'
import { sessionIdOf } from '../session-id.ts'
import { jsonText, print, type Terminal } from '../terminal.ts'

export interface SessionsFlags extends SharedFlags {
  readonly json?: boolean
  readonly limit?: number
}

export async function listSessions(terminal: Terminal, flags: SessionsFlags): Promise<number> {
  const log = await openLog(dataFolder(terminal, flags))
  try {
    const { sessions } = await log.list({ limit: flags.limit ?? 50 })
    if (flags.json === true) print(terminal, jsonText(sessions))
    else if (sessions.length === 0) print(terminal, 'no sessions yet. Start one: quarterdeck chat examples/hello')
    else for (const session of sessions) print(terminal, row(session))
    return 0
  } finally {
    await log.close()
  }
}

export async function showSession(terminal: Terminal, input: { id: string; flags: SessionsFlags }): Promise<number> {
  const sessionId = sessionIdOf(input.id)
  const log = await openLog(dataFolder(terminal, input.flags))
  try {
    const { session } = await log.snapshot(sessionId)
    if (input.flags.json !== true)
      print(terminal, `${row(session)}\n${visibleText(`${modelLabel(session)} in ${session.cwd}`)}`)
    for (let after = 0; ; ) {
      const page = await log.events(sessionId, after, 1000)
      for (const event of page.events) {
        if (input.flags.json === true) print(terminal, jsonText(event, 0))
        else
          print(
            terminal,
            `${String(event.seq).padStart(5)} ${event.at} ${event.type} ${shortSubject(event.data, session.cwd)}`,
          )
      }
      if (!page.hasMore) return 0
      after = page.lastSeq
    }
  } finally {
    await log.close()
  }
}

function row(session: SessionState): string {
  const { sessionId, status, agentName, title, createdAt } = session
  const facts = [
    sessionId,
    status.padEnd(16),
    agentName.padEnd(12),
    formatSpent(session).padStart(9),
    createdAt.slice(0, 16),
  ]
  return `${facts.join('  ')}  ${visibleText(title)}`
}
