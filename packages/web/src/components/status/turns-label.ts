import type { SessionState } from '@quarterdeck/protocol'

/** The limit is one message's, the count the session's: once it is above, they are told apart. */
export function turnsLabel({ numTurns, limits: { maxTurns } }: Pick<SessionState, 'numTurns' | 'limits'>): string {
  return numTurns <= maxTurns ? `${numTurns} of ${maxTurns}` : `${numTurns}, at most ${maxTurns} a message`
}
