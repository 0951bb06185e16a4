// Clients that return tool results must send the token from the start of the analysis: knowing its id is not enough.
import { QuarterdeckError, type SessionId } from '@quarterdeck/protocol'
import { secretsEqual } from '../../auth/secrets-equal.ts'
import type { WireDeps } from '../wire.ts'

export const toolTokenOf = ({ sign }: Pick<WireDeps, 'sign'>, sessionId: SessionId): string =>
  sign('analysis tool token', sessionId)

/** Not required on a compatibility listener. */
export function requireToolToken(
  deps: Pick<WireDeps, 'sign' | 'agent'>,
  sessionId: SessionId,
  shown: string | undefined,
): void {
  if (deps.agent !== null) return
  if (shown !== undefined && secretsEqual(shown, toolTokenOf(deps, sessionId))) return
  const detail = shown === undefined ? 'is missing' : 'is not the token of this analysis'
  throw new QuarterdeckError(
    'auth.forbidden',
    `x-tool-token ${detail}: send the toolToken from the start of the analysis`,
  )
}
