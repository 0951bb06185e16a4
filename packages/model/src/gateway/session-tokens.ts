// One token per open session. Tokens are looked up by hash, so the time of a lookup reveals nothing about a token.
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SessionId } from '@quarterdeck/protocol'
import type { OpenSessionOptions } from './model-gateway.ts'

export interface OpenSession {
  readonly sessionId: SessionId
  readonly token: string
  /** A reopened session may have a new owner and a second model. */
  owner: string
  hasFallbackModel: boolean
  /** The session's running requests: closing it aborts them. */
  readonly running: Set<AbortController>
}

export function createSessionTokens() {
  const bySession = new Map<SessionId, OpenSession>()
  const byHash = new Map<string, OpenSession>()

  return {
    open(sessionId: SessionId, { owner = sessionId, hasFallbackModel = false }: OpenSessionOptions = {}): OpenSession {
      const known = bySession.get(sessionId)
      if (known !== undefined) {
        return Object.assign(known, { owner, hasFallbackModel })
      }
      const token = `qd-session-${randomBytes(32).toString('base64url')}`
      const session = { sessionId, token, owner, hasFallbackModel, running: new Set<AbortController>() }
      bySession.set(sessionId, session)
      byHash.set(hash(token), session)
      return session
    },
    close(sessionId: SessionId): void {
      const session = bySession.get(sessionId)
      if (!session) return
      bySession.delete(sessionId)
      byHash.delete(hash(session.token))
      for (const request of session.running) request.abort()
    },
    find(headers: IncomingHttpHeaders): OpenSession | null {
      const token = tokenIn(headers)
      return token === null ? null : (byHash.get(hash(token)) ?? null)
    },
    sessionIds: () => [...bySession.keys()],
  }
}

function tokenIn(headers: IncomingHttpHeaders): string | null {
  const key = headers['x-api-key']
  if (typeof key === 'string' && key !== '') return key
  return /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null
}

const hash = (token: string): string => createHash('sha256').update(token).digest('hex')
