// The public API of the server package.

export { createLocalHost } from './app/create-local-host.ts'
export { type RunningServer, startServer } from './app/start-server.ts'
export { readVersion } from './app/version.ts'
export { type CompatListenerPlan, defaultCompatPorts } from './compat-listeners/compat-listener-plan.ts'
export { createRemoteHost } from './rpc/create-remote-host.ts'
export { createRecoveringHost } from './rpc/recovering-host.ts'
export type { RpcHost } from './rpc/rpc-host.ts'
export { servePipe } from './rpc/serve-pipe.ts'
export { openRuntime, type Runtime, type RuntimeOptions } from './runtime/open-runtime.ts'
export { type WireName, wireNames } from './wires/wire.ts'
