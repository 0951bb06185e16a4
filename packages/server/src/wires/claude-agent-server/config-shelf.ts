import type { Principal } from '@quarterdeck/protocol'
import { type ClientConfig, readClientConfig } from './client-config.ts'

export interface ConfigShelf {
  /** The one that was posted last; an empty one before that. */
  get(principal: Principal): ClientConfig
  put(principal: Principal, config: ClientConfig): void
}

/** There are as many as there are keys; past this the oldest is forgotten, as all are with the process. */
const maxConfigs = 100

/** One configuration for each who asks: nobody sees or changes another's. */
export function createConfigShelf(): ConfigShelf {
  const empty = readClientConfig({})
  const configs = new Map<string, ClientConfig>()
  const nameOf = ({ owner, name }: Principal) => JSON.stringify([owner, name])
  return {
    get: (principal) => configs.get(nameOf(principal)) ?? empty,
    put(principal, config) {
      const name = nameOf(principal)
      configs.delete(name)
      configs.set(name, config)
      const [oldest] = configs.keys()
      if (configs.size > maxConfigs && oldest !== undefined) configs.delete(oldest)
    },
  }
}
