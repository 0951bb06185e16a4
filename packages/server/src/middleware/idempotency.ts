// A change sent twice with one key is made once. Only successes are stored: a refusal changes nothing, so a retry with
// the same key may succeed.
import { createHash } from 'node:crypto'
import type { Engine } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'

/** Stores replies for 24 hours, per principal, under the hash of a key: the key may be a secret. */
export type ReplyStore = Engine['replies']

export interface KeyedRequest {
  readonly principal: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: string
}

export interface Outcome {
  readonly status: number
  readonly body: string
  readonly isReplay: boolean
}

type Execute = () => Promise<{ readonly status: number; readonly body: string }>

export type Idempotency = ReturnType<typeof createIdempotency>

export function createIdempotency(replies: ReplyStore) {
  const running = new Map<string, { readonly bodyHash: string; readonly done: Promise<Outcome> }>()

  async function findOrExecute(request: KeyedRequest, bodyHash: string, execute: Execute): Promise<Outcome> {
    const keyHash = sha256(request.key)
    const cached = await replies.findReply(request.principal, keyHash)
    if (cached !== null && cached.bodyHash !== bodyHash) throw mismatch(request.key)
    if (cached !== null) return { status: cached.status, body: cached.body, isReplay: true }
    const made = await execute()
    await replies.saveReply(request.principal, keyHash, { bodyHash, ...made })
    return { ...made, isReplay: false }
  }

  return {
    async run(request: KeyedRequest, execute: Execute): Promise<Outcome> {
      const bodyHash = hashOf(request)
      const slot = `${request.principal}\n${request.key}`
      const earlier = running.get(slot)
      if (earlier !== undefined) {
        if (earlier.bodyHash !== bodyHash) throw mismatch(request.key)
        return { ...(await earlier.done), isReplay: true }
      }
      // Set before the first await, so that a second request with this key finds it.
      const done = findOrExecute(request, bodyHash, execute).finally(() => running.delete(slot))
      running.set(slot, { bodyHash, done })
      return done
    },
  }
}

/** The idempotency key of a request, if any. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null
  if (/^[\x21-\x7e]{1,200}$/.test(header)) return header
  throw new QuarterdeckError('request.invalid', 'an idempotency key is 1 to 200 visible ASCII characters')
}

const hashOf = ({ method, path, body }: KeyedRequest): string => sha256(`${method} ${path}\n${body}`)

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const mismatch = (key: string) =>
  new QuarterdeckError(
    'request.idempotency-mismatch',
    `the idempotency key ${JSON.stringify(key)} was used for another request: use a new key`,
  )
