// The offline model: an HTTP server on loopback that answers like a provider, from a demo or a scenario, with faults on
// request.
export { createSimulator, type Simulator, type SimulatorOptions } from './create-simulator.ts'
export type { Fault, FaultInput, FaultRule } from './faults/fault.ts'
export type { SimulatedRate } from './faults/rate-limiter.ts'
export type { Served, ServedEmbedding, ServedRequest } from './http/served-log.ts'
export { runSimulator } from './run-simulator.ts'
export { loadScenario, Scenario } from './scenarios/scenario.ts'
