import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { type ClientConfig, readClientConfig } from './client-config.ts'

export interface ClientConfigStore {
  /** The one that was posted last; an empty one before that. */
  get(principal: Principal): ClientConfig
  /** Throws where there is no place: a forgotten one would give its client more than it had asked for. */
  put(principal: Principal, config: ClientConfig): void
}

/** One for each key that has posted something. All are forgotten with the process. */
const maxConfigs = 1000

/** One configuration for each key. The clients of a door have none: they share one, as those of the original do. */
export function createClientConfigStore(): ClientConfigStore {
  const empty = readClientConfig({})
  const configs = new Map<string, ClientConfig>()
  const nameOf = ({ owner, name }: Principal) => JSON.stringify([owner, name])
  return {
    get: (principal) => configs.get(nameOf(principal)) ?? empty,
    put(principal, config) {
      const name = nameOf(principal)
      // One that asks for nothing takes no place.
      if (Object.keys(config.shown).length === 0) return void configs.delete(name)
      if (configs.size >= maxConfigs && !configs.has(name)) throw isFull()
      configs.set(name, config)
    },
  }
}

const isFull = () =>
  new QuarterdeckError(
    'request.rate-limited',
    `${maxConfigs} keys have a configuration here already: post {} with one that needs none any more`,
  )
