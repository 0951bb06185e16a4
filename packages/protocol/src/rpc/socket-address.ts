export const socketPath = '/v1/ws'
export const socketProtocol = 'quarterdeck.v1'
/** Prefix of the WebSocket subprotocol in which a page sends its token. */
export const tokenProtocolPrefix = 'quarterdeck.token.'
