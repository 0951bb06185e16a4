// Which headers cross the gateway. The session's token never goes up, and nothing per-connection goes either way.
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

/** Bodies come back uncompressed: the gateway reads usage in passing and passes bytes on unchanged. */
export function upwardHeaders(headers: IncomingHttpHeaders, upstream: GatewayUpstream): OutgoingHttpHeaders {
  const forwarded = keep(headers, notUpward)
  forwarded['accept-encoding'] = 'identity'
  if (upstream.credential) forwarded[upstream.credential.header] = upstream.credential.value
  return forwarded
}

export function downwardHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return keep(headers, notDownward)
}

function keep(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): OutgoingHttpHeaders {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || perConnection.has(name) || dropped.has(name) || named.has(name)) continue
    kept[name] = value
  }
  return kept
}
