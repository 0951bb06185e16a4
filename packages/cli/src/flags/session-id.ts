import { QuarterdeckError, SessionId } from '@quarterdeck/protocol'

/** What was typed as a session's id. */
export function sessionIdOf(text: string): SessionId {
  const parsed = SessionId.safeParse(text)
  if (parsed.success) return parsed.data
  throw new QuarterdeckError('session.not-found', `"${text}" is not a session id: "quarterdeck sessions ls" lists them`)
}
