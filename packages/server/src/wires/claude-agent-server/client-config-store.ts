import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { type ClientConfig, readClientConfig } from './client-config.ts'

/** Limit of keys with a configuration. All are lost with the process. */
const maxConfigs = 1000

/** One configuration per key. Clients of a compatibility listener share one, as in the original. */
export function createClientConfigStore() {
  const empty = readClientConfig({})
  const configs = new Map<string, ClientConfig>()
  const nameOf = ({ owner, name }: Principal) => JSON.stringify([owner, name])
  return {
    /** The last posted configuration; an empty one before that. */
    get: (principal: Principal): ClientConfig => configs.get(nameOf(principal)) ?? empty,
    /** Throws at the limit: dropping a configuration would give its client more than it asked for. */
    put(principal: Principal, config: ClientConfig): void {
      const name = nameOf(principal)
      // An empty configuration does not count.
      if (Object.keys(config.shown).length === 0) return void configs.delete(name)
      if (configs.size >= maxConfigs && !configs.has(name)) throw isFull()
      configs.set(name, config)
    },
  }
}

const isFull = () =>
  new QuarterdeckError(
    'request.rate-limited',
    `${maxConfigs} keys already have a configuration: post {} with a key that no longer needs one`,
  )
