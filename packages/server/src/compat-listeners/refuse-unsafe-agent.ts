// Whoever can open a connection on this machine can use a door, and so can every page it lets in: there is no token
// that would keep them apart from the person who started the server.
import { QuarterdeckError } from '@quarterdeck/protocol'

/** What is known of an agent's file. */
interface CompatAgent {
  readonly name: string
  readonly problems: readonly { readonly code: string }[]
}

/** Throws where an agent that asks nobody would run anything for anybody. Files change: asked before each session. */
export function refuseUnsafeAgent(name: string, loaded: readonly CompatAgent[]): void {
  const agent = loaded.find((one) => one.name === name)
  if (agent?.problems.some(({ code }) => code === 'config.unsafe') !== true) return
  throw new QuarterdeckError(
    'config.invalid',
    `agent "${name}" gets no door: with permission_mode acceptAll every program on this machine and every page the ` +
      'door lets in could run anything, without a token; say i_understand_this_is_unsafe: true in the agent file if ' +
      'that is meant',
  )
}
