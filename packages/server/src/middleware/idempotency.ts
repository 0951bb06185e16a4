// A change sent twice under one key happens once. Only what succeeded is kept: a refusal changed nothing, so trying
// again under the same key may well succeed.
import { createHash } from 'node:crypto'
import { QuarterdeckError } from '@quarterdeck/protocol'

export interface CachedReply {
  readonly bodyHash: string
  readonly status: number
  readonly body: string
}

/** Keeps replies for 24 hours, per principal, under the hash of a key: what a client puts there may be a secret. */
export interface ReplyStore {
  findReply(principal: string, keyHash: string): Promise<CachedReply | null>
  saveReply(principal: string, keyHash: string, reply: CachedReply): Promise<void>
}

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

export interface Idempotency {
  run(request: KeyedRequest, execute: Execute): Promise<Outcome>
}

export function createIdempotency(replies: ReplyStore): Idempotency {
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
    async run(request, execute) {
      const bodyHash = hashOf(request)
      const slot = `${request.principal}\n${request.key}`
      const earlier = running.get(slot)
      if (earlier !== undefined) {
        if (earlier.bodyHash !== bodyHash) throw mismatch(request.key)
        return { ...(await earlier.done), isReplay: true }
      }
      // Taken before the first wait: a second request with this key finds it, however fast it comes.
      const done = findOrExecute(request, bodyHash, execute).finally(() => running.delete(slot))
      running.set(slot, { bodyHash, done })
      return done
    },
  }
}

/** The key of a request, if it has one. */
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
    `the idempotency key ${JSON.stringify(key)} was used for another request: take a new key`,
  )
