// A provider in the test process: it outlives killed servers and records what it served.
import {
  createSimulator,
  loadScenario,
  type Served as ServedByProvider,
  type SimulatorOptions,
} from '@quarterdeck/simulator'

export interface LoopbackProvider {
  /** The environment variables for a server to use it. The key is fake. */
  readonly env: Readonly<Record<string, string>>
  served(): ServedByProvider
  close(): Promise<void>
}

export interface ProviderOptions extends Pick<SimulatorOptions, 'faults' | 'rate' | 'paceMs'> {
  /** The text of a scenario. The default is the demo. */
  readonly script?: string
}

export async function startProvider({ script, ...options }: ProviderOptions = {}): Promise<LoopbackProvider> {
  const mode = script === undefined ? 'demo' : { script: loadScenario(script, 'the script of this test') }
  const simulator = createSimulator({ paceMs: 0, ...options, mode })
  const { url } = await simulator.listen()
  return {
    env: { ANTHROPIC_API_KEY: 'made-up-provider-key', ANTHROPIC_BASE_URL: url },
    served: simulator.served,
    close: simulator.close,
  }
}
