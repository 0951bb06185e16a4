// What may not be offered beyond this machine, whatever token protects it.
import { QuarterdeckError } from '@quarterdeck/protocol'
import { isLoopback } from '../http/host-name.ts'

export interface ExposedAgent {
  readonly name: string
  readonly requestedModelSource: 'provider' | 'simulator' | 'auto'
  readonly problems: readonly { readonly code: string }[]
}

/** Throws when an agent may not be served on this address; all of them are named at once. Loopback takes any. */
export function refuseExposure(host: string, agents: readonly ExposedAgent[]): void {
  if (isLoopback(host)) return
  const unsafe = agents.filter((agent) => agent.problems.some((problem) => problem.code === 'config.unsafe'))
  const undecided = agents.filter((agent) => agent.requestedModelSource === 'auto')
  const reasons = [
    unsafe.length > 0 &&
      `${named(unsafe)}: permission_mode acceptAll lets whoever reaches this server run anything; ` +
        'say i_understand_this_is_unsafe: true in the agent file if that is meant',
    undecided.length > 0 &&
      `${named(undecided)}: model_source auto may answer others from the simulator; say provider or simulator`,
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return
  throw new QuarterdeckError('config.invalid', `not served on ${host}, which is not loopback.\n${reasons.join('\n')}`)
}

/** What to tell whoever opens the server to others; `null` on loopback. */
export const exposureWarning = (host: string): string | null =>
  isLoopback(host)
    ? null
    : `others can reach ${host}: whoever has the access token can run the agents, and without https it travels in the clear`

const named = (agents: readonly ExposedAgent[]): string => agents.map((agent) => `agent "${agent.name}"`).join(', ')
