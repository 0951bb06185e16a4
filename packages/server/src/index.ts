// The door of the doors: what the command line stands on.

export { ensureAccessToken } from './auth/access-token.ts'
export { exposureWarning, refuseExposure } from './exposure.ts'
export { type House, type HouseOptions, openHouse } from './open-house.ts'
export { buildOpenApiDocument } from './openapi-document.ts'
export { type RunningServer, type ServerOptions, startServer } from './start-server.ts'
