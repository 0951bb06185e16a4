// Every local program and every allowed page can use a compatibility listener: without a token the server cannot
// distinguish them from the person who started it.
import { QuarterdeckError } from '@quarterdeck/protocol'

/** The loaded state of an agent file. */
interface CompatAgent {
  readonly name: string
  readonly problems: readonly { readonly code: string }[]
}

/** Throws for an agent that would run anything without approval. Called before each session, because files change. */
export function refuseUnsafeAgent(name: string, loaded: readonly CompatAgent[]): void {
  const agent = loaded.find((one) => one.name === name)
  if (agent?.problems.some(({ code }) => code === 'config.unsafe') !== true) return
  throw new QuarterdeckError(
    'config.invalid',
    `agent "${name}" cannot have a compatibility listener: with permission_mode acceptAll every program on this machine and every page the ` +
      'listener allows could run anything, without a token; set i_understand_this_is_unsafe: true in the agent file if ' +
      'this is intended',
  )
}
