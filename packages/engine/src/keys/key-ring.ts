// Names for those who talk to the server. A token is shown once; what is kept is its hash.
import { createHash, randomBytes } from 'node:crypto'
import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import { findShapes } from '../redaction/secret-shapes.ts'
import type { Ids } from '../store/event-store.ts'
import type { AccessKey, KeyStore } from '../store/key-store.ts'

export interface KeyRing {
  /** Resolves with the token: nobody can ask for it again. Throws `key.exists`. */
  create(name: string, by: string): Promise<string>
  /** Whose token this is, or `null` for one that is none, or none any more. */
  find(token: string): Promise<Principal | null>
  /** Oldest first, revoked ones too. */
  list(): Promise<readonly AccessKey[]>
  /** From now on its token opens nothing. Its name stays taken: the log knows it. Throws `key.not-found`. */
  revoke(name: string, by: string): Promise<void>
}

/** Logs and the audit chain sign with these: the owner of the data folder, and what acts by itself. */
const reserved: ReadonlySet<string> = new Set(['operator', 'quarterdeck', 'clock', 'agent', 'engine'])
const namePattern = /^[A-Za-z][A-Za-z0-9._@-]{0,63}$/

export function createKeyRing(store: KeyStore, ids: Ids): KeyRing {
  return {
    async create(name, by) {
      if (!namePattern.test(name)) {
        const detail = `"${name}" is no name for a key: a letter, then up to 63 letters, digits, dots, dashes, @ or _`
        throw new QuarterdeckError('request.invalid', detail)
      }
      if (findShapes(name).length > 0) {
        throw new QuarterdeckError(
          'request.invalid',
          'this name looks like a key itself, and names are kept: choose another',
        )
      }
      if (reserved.has(name.toLowerCase())) {
        throw new QuarterdeckError('key.exists', `"${name}" is a name Quarterdeck itself signs with: choose another`)
      }
      const token = `qd-key-${randomBytes(32).toString('base64url')}`
      await store.createKey({ id: ids.next('key'), name, hash: hashOf(token) }, by)
      return token
    },
    async find(token) {
      const key = await store.findKey(hashOf(token))
      if (key === null || key.revokedAt !== null) return null
      return { name: key.name, owner: key.name, scope: 'admin', requestsPerMinute: null }
    },
    list: () => store.listKeys(),
    async revoke(name, by) {
      if (await store.revokeKey(name, by)) return
      throw new QuarterdeckError('key.not-found', `no key of the name "${name}" is in use`)
    },
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
