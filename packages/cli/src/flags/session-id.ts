import { QuarterdeckError, SessionId } from '@quarterdeck/protocol'

/** Parses a session id from the command line. */
export function sessionIdOf(text: string): SessionId {
  const parsed = SessionId.safeParse(text)
  if (parsed.success) return parsed.data
  throw new QuarterdeckError(
    'session.not-found',
    `"${text}" is not a session id: "quarterdeck sessions list" lists them`,
  )
}
