// Agents that may not be served beyond this machine, even with a token.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { isLoopback } from '../http/host-name.ts'

export interface ExposedAgent {
  readonly name: string
  readonly requestedModelSource: 'provider' | 'simulator' | 'auto'
  readonly problems: readonly { readonly code: string }[]
}

/** Throws with all agents that may not be served on this address. Loopback allows any. */
export function refuseExposure(host: string, agents: readonly ExposedAgent[]): void {
  if (isLoopback(host)) return
  const unsafe = agents.filter((agent) => agent.problems.some((problem) => problem.code === 'config.unsafe'))
  const undecided = agents.filter((agent) => agent.requestedModelSource === 'auto')
  const reasons = [
    unsafe.length > 0 &&
      `${named(unsafe)}: permission_mode acceptAll lets everyone who reaches this server run anything; ` +
        'set i_understand_this_is_unsafe: true in the agent file if this is intended',
    undecided.length > 0 &&
      `${named(undecided)}: model_source auto may answer others from the simulator; set provider or simulator`,
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return
  throw new QuarterdeckError('config.invalid', `not served on ${host}, which is not loopback.\n${reasons.join('\n')}`)
}

/** A warning for a server that others can reach; `null` on loopback. */
export const exposureWarning = (host: string): string | null =>
  isLoopback(host)
    ? null
    : `others can reach ${host}: everyone with the access token can run the agents, and without https the token is sent unencrypted`

const named = (agents: readonly ExposedAgent[]): string => agents.map((agent) => `agent "${agent.name}"`).join(', ')
