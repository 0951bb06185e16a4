import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import type { AppEnv } from '../app-env.ts'
import { type BrowserSessions, cookieNameFor } from './browser-sessions.ts'
import { secretsEqual } from './secrets-equal.ts'

/** Whoever has the token of the data folder, and whoever signed a browser in with it. */
const operator = 'operator'

export interface Authentication {
  readonly accessToken: string
  /** The name behind a key, or `null` for a token that is none (any more). */
  readonly findKey: (token: string) => Promise<string | null>
  readonly browserSessions: BrowserSessions
  /** Called for each wrong one; throws when there were too many. */
  readonly onWrong: () => void
}

/** Lets a request on with its principal, or refuses it with 401. A bearer token that is wrong is never excused by a cookie. */
export function authenticate(authentication: Authentication): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const header = c.req.header('authorization')
    const cookie = getCookie(c, cookieNameFor(c.req.header('host') ?? ''))
    const { principal, key } =
      header === undefined
        ? { principal: ofCookie(cookie, authentication), key: null }
        : await ofToken(header, authentication)
    c.set('principal', principal)
    c.set('key', key)
    await next()
  }
}

interface Known {
  readonly principal: string
  readonly key: string | null
}

async function ofToken(header: string, { accessToken, findKey, onWrong }: Authentication): Promise<Known> {
  const given = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (given === undefined) {
    throw new QuarterdeckError('auth.required', 'send the header "Authorization: Bearer <token>"')
  }
  if (secretsEqual(given, accessToken)) return { principal: operator, key: null }
  const name = await findKey(given)
  if (name !== null) return { principal: name, key: given }
  onWrong()
  throw unknownToken()
}

/** For a request that was under way for a while: a key that was revoked meanwhile opens nothing any more. */
export async function requireKey(key: string | null, { findKey }: Pick<Authentication, 'findKey'>): Promise<void> {
  if (key !== null && (await findKey(key)) === null) throw unknownToken()
}

const unknownToken = () =>
  new QuarterdeckError(
    'auth.invalid',
    'this token is not known here: use the one in DATA/token, or make a key with "quarterdeck keys create"',
  )

function ofCookie(cookie: string | undefined, { browserSessions, onWrong }: Authentication): string {
  if (cookie === undefined) {
    throw new QuarterdeckError(
      'auth.required',
      'sign in with the link that "quarterdeck serve" prints, or send "Authorization: Bearer <token>" from DATA/token',
    )
  }
  if (browserSessions.isValid(cookie)) return operator
  onWrong()
  throw new QuarterdeckError('auth.invalid', 'this browser is no longer signed in: open a new link from the server')
}
