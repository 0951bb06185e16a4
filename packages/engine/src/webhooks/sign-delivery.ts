// Signs deliveries with an HMAC over id, time and body: receivers can detect forged, old and changed ones.
import { createHmac } from 'node:crypto'

/** After this prefix a secret is base64, as libraries for standardwebhooks.com expect. */
export const base64SecretPrefix = 'whsec_'

/** The scheme of standardwebhooks.com: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signDelivery(secret: string, delivery: { id: string; atSeconds: number; body: string }) {
  const { id, atSeconds, body } = delivery
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${atSeconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': `v1,${signature}` }
}

/** A secret without the prefix is used as UTF-8 text. */
function keyOf(secret: string): Buffer {
  const isBase64 = secret.startsWith(base64SecretPrefix)
  return isBase64 ? Buffer.from(secret.slice(base64SecretPrefix.length), 'base64') : Buffer.from(secret, 'utf8')
}
