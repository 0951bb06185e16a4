import { QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { getCookie } from 'hono/cookie'
import type { AppEnv } from '../app-env.ts'
import { type BrowserSessions, cookieNameFor } from './browser-sessions.ts'
import { secretsEqual } from './secrets-equal.ts'

/** There is one token and so one principal; scoped keys will each bring their own name. */
const operator = 'operator'

export interface Authentication {
  readonly accessToken: string
  readonly browserSessions: BrowserSessions
  /** Called for each wrong one; throws when there were too many. */
  readonly onWrong: () => void
}

/** Lets a request on with its principal, or refuses it with 401. A bearer token that is wrong is never excused by a cookie. */
export function authenticate(authentication: Authentication): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const header = c.req.header('authorization')
    const cookie = getCookie(c, cookieNameFor(c.req.header('host') ?? ''))
    if (header !== undefined) requireToken(header, authentication)
    else requireCookie(cookie, authentication)
    c.set('principal', operator)
    await next()
  }
}

function requireToken(header: string, { accessToken, onWrong }: Authentication): void {
  const given = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (given === undefined) {
    throw new QuarterdeckError('auth.required', 'send the header "Authorization: Bearer <token>"')
  }
  if (!secretsEqual(given, accessToken)) {
    onWrong()
    throw new QuarterdeckError('auth.invalid', 'this is not the access token of this server: it is in DATA/token')
  }
}

function requireCookie(cookie: string | undefined, { browserSessions, onWrong }: Authentication): void {
  if (cookie === undefined) {
    throw new QuarterdeckError(
      'auth.required',
      'sign in with the link that "quarterdeck serve" prints, or send "Authorization: Bearer <token>" from DATA/token',
    )
  }
  if (!browserSessions.isValid(cookie)) {
    onWrong()
    throw new QuarterdeckError('auth.invalid', 'this browser is no longer signed in: open a new link from the server')
  }
}
