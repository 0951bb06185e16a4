// The door of the model side: the gateway and the desk, the simulator, and the frames a hand-made model speaks in.
export { createModelGateway } from './gateway/create-model-gateway.ts'
export { createRequestDesk } from './gateway/create-request-desk.ts'
export type {
  Authorization,
  GatewayLogger,
  GatewayUpstream,
  KeyRefused,
  ModelGateway,
  ModelGatewayOptions,
  ModelRequest,
  OpenSessionOptions,
  PlaceInLine,
  RequestName,
  Retrying,
  RetryPolicy,
  Settlement,
  Waiting,
} from './gateway/model-gateway.ts'
export { createModelTraffic, type ModelTraffic } from './gateway/model-traffic.ts'
export type { RequestDesk, RequestDeskOptions, SessionDesk } from './gateway/request-desk.ts'
export { modelFamily, type ProviderLimits, RATE_TIERS, type RateTier } from './provider-limits.ts'
export { createSimulator, type Simulator, type SimulatorOptions } from './simulator/create-simulator.ts'
export type { Fault, FaultInput, FaultRule } from './simulator/fault.ts'
export type { SimulatedRate } from './simulator/rate-gate.ts'
export { loadScenario, Scenario } from './simulator/script/scenario.ts'
export type { Served, ServedEmbedding, ServedRequest } from './simulator/served-log.ts'
export { encodeSseFrame } from './wire/sse-frame.ts'
