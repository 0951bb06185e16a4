// A simulator for one test, with shorthands for its scripts.
import { onTestFinished } from 'vitest'
import { createSimulator, type SimulatorOptions } from './create-simulator.ts'
import { loadScenario } from './scenarios/scenario.ts'

/** Listens until the test ends. */
export async function startSimulator(options: Partial<SimulatorOptions> = {}) {
  const simulator = createSimulator({ mode: 'demo', paceMs: 0, ...options })
  onTestFinished(simulator.close)
  const { url } = await simulator.listen()
  return { simulator, url }
}

export const script = (yaml: string) => ({ mode: { script: loadScenario(yaml, 'test.yaml') } })
