// The door of the doors: what the command line stands on.
export { type DoorPlan, usualDoorPorts } from './doors/door-plan.ts'
export { type House, type HouseOptions, openHouse } from './open-house.ts'
export { buildOpenApiDocument } from './openapi-document.ts'
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts'
export { readVersion } from './version.ts'
export { type DoorName, doorNames } from './wires/wire.ts'
