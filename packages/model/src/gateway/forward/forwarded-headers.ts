// The headers that pass the gateway. The session's token is never sent upstream, and hop-by-hop headers pass in neither
// direction.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { GatewayUpstream } from '../model-gateway.ts'

const perConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const notUpward = new Set([
  'host',
  'x-api-key',
  'authorization',
  'cookie',
  'content-length',
  'expect',
  'accept-encoding',
])
const notDownward = new Set(['set-cookie'])

/** Bodies come back uncompressed: the gateway reads the usage from the bytes and forwards them unchanged. */
export function upwardHeaders(headers: IncomingHttpHeaders, upstream: GatewayUpstream): OutgoingHttpHeaders {
  const forwarded = keep(headers, notUpward)
  forwarded['accept-encoding'] = 'identity'
  if (upstream.credential) forwarded[upstream.credential.header] = upstream.credential.value
  return forwarded
}

export const downwardHeaders = (headers: IncomingHttpHeaders): OutgoingHttpHeaders => keep(headers, notDownward)

function keep(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const allowed: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || perConnection.has(name) || dropped.has(name) || named.has(name)) continue
    allowed[name] = value
  }
  return allowed
}
