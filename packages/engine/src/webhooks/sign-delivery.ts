// How a receiver knows that a delivery is ours, new, and unchanged: an HMAC over its id, its time and its body.
import { createHmac } from 'node:crypto'

export interface SignedHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/** The scheme of standardwebhooks.com: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export function signDelivery(secret: string, delivery: { id: string; atSeconds: number; body: string }): SignedHeaders {
  const { id, atSeconds, body } = delivery
  const signature = createHmac('sha256', secret).update(`${id}.${atSeconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(atSeconds), 'webhook-signature': `v1,${signature}` }
}
