// The door of the doors: what the command line stands on.

export { createLocalHost, type LocalHostOptions } from './create-local-host.ts'
export { type DoorPlan, usualDoorPorts } from './doors/door-plan.ts'
export { type House, type HouseOptions, openHouse } from './open-house.ts'
export { buildOpenApiDocument } from './openapi-document.ts'
export { type AppHostDeps, createAppHost } from './rpc/create-app-host.ts'
export { createRpcPeer, type RpcPeer, type RpcPeerDeps } from './rpc/create-rpc-peer.ts'
export type { RpcHost, RpcLine } from './rpc/rpc-host.ts'
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts'
export { readVersion } from './version.ts'
export { type DoorName, doorNames } from './wires/wire.ts'
