import type { SessionState } from '@quarterdeck/protocol'

/**
 * The limit applies to one message, the count to the whole session. Above the limit, the label shows them separately.
 */
export function turnsLabel({ numTurns, limits: { maxTurns } }: Pick<SessionState, 'numTurns' | 'limits'>): string {
  return numTurns <= maxTurns ? `${numTurns} of ${maxTurns}` : `${numTurns}, limit ${maxTurns} per message`
}
