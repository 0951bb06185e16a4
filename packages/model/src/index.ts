// The door of the model side: the gateway, the simulator, and the codec others may need.
export { createModelGateway } from './gateway/create-model-gateway.ts'
export type {
  Authorization,
  GatewayLogger,
  GatewayUpstream,
  ModelGateway,
  ModelGatewayOptions,
  ModelRequest,
  Settlement,
} from './gateway/model-gateway.ts'
export { SIMULATOR_MODEL } from './simulator/build-message.ts'
export { createSimulator, type Simulator, type SimulatorOptions } from './simulator/create-simulator.ts'
export type { Fault, FaultInput, FaultRule } from './simulator/fault.ts'
export { loadScenario, Scenario } from './simulator/script/scenario.ts'
export type { Served, ServedRequest } from './simulator/served-log.ts'
export { type ApiErrorBody, apiErrorBody, errorTypeOfStatus } from './wire/anthropic/error-body.ts'
export { MessagesRequest } from './wire/anthropic/messages-request.ts'
export { addUsage, mergeUsage, NO_USAGE, WireUsage } from './wire/anthropic/usage.ts'
export { createSseFrameParser, encodeSseFrame, type SseFrame, type SseFrameParser } from './wire/sse-frame.ts'
