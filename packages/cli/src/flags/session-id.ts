import { QuarterdeckError, SessionId } from '@quarterdeck/protocol'
import { commandLine } from '../terminal/command-line.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Parses a session id from the command line. */
export function sessionIdOf(terminal: Terminal, text: string): SessionId {
  const parsed = SessionId.safeParse(text)
  if (parsed.success) return parsed.data
  throw new QuarterdeckError(
    'session.not-found',
    `"${text}" is not a session id: "${commandLine(terminal)} sessions list" lists them`,
  )
}
