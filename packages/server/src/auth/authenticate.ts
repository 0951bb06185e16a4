import { type Principal, QuarterdeckError } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { parse as parseCookies } from 'hono/utils/cookie'
import type { AppEnv, KnownCaller } from '../http/app-env.ts'
import { isOwnOrigin } from '../middleware/check-origin.ts'
import { type BrowserSessions, cookieNameFor } from './browser-sessions.ts'
import { secretsEqual } from './secrets-equal.ts'

/** Whoever has the token of the data folder, and whoever signed a browser in with it. */
export const operator: Principal = { name: 'operator', owner: 'operator', scope: 'admin', requestsPerMinute: null }

export interface Authentication {
  readonly accessToken: string
  /** Whose key it is, or `null` for a token that is none (any more). */
  readonly findKey: (token: string) => Promise<Principal | null>
  readonly browserSessions: BrowserSessions
  /** Called for each wrong one; throws when there were too many. */
  readonly onWrong: () => void
}

/** What a request shows of who sent it. */
export interface Credentials {
  readonly host: string
  readonly cookie: string | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Of clients that cannot send a header: one of the WebSocket's subprotocols. */
  readonly token?: string | undefined
}

/** Lets a request on with its principal, or refuses it with 401. */
export function authenticate(
  authentication: Authentication & { readonly publicUrl: string | null },
): MiddlewareHandler<AppEnv> {
  const { publicUrl } = authentication
  return async (c, next) => {
    const origin = c.req.header('origin')
    // Listed origins bring a token. A browser would send our cookie along with their WebSockets, unasked.
    const host = c.req.header('host') ?? ''
    const isOwnPage = origin === undefined || isOwnOrigin(origin, { host, publicUrl })
    const { principal, key } =
      c.env?.known ??
      (await identify(authentication, {
        host,
        cookie: isOwnPage ? c.req.header('cookie') : undefined,
        authorization: c.req.header('authorization'),
        token: c.env?.upgrade === undefined ? undefined : tokenOf(c.req.header('sec-websocket-protocol')),
      }))
    c.set('principal', principal)
    c.set('key', key)
    await next()
  }
}

/** Throws `auth.required` or `auth.invalid`. A token that is wrong is never excused by a cookie. */
async function identify(authentication: Authentication, shown: Credentials): Promise<KnownCaller> {
  if (shown.authorization !== undefined) return ofToken(bearerOf(shown.authorization), authentication)
  if (shown.token !== undefined) return ofToken(shown.token, authentication)
  const name = cookieNameFor(shown.host)
  return ofCookie(parseCookies(shown.cookie ?? '', name)[name], authentication)
}

export const tokenProtocol = 'quarterdeck.token.'

/** `Sec-WebSocket-Protocol: quarterdeck.token.<t>`, the only thing a page can send along with a WebSocket. */
const tokenOf = (protocols: string | undefined): string | undefined =>
  protocols
    ?.split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(tokenProtocol))
    ?.slice(tokenProtocol.length)

function bearerOf(header: string): string {
  const given = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (given !== undefined) return given
  throw new QuarterdeckError('auth.required', 'send the header "Authorization: Bearer <token>"')
}

async function ofToken(given: string, { accessToken, findKey, onWrong }: Authentication): Promise<KnownCaller> {
  if (secretsEqual(given, accessToken)) return { principal: operator, key: null }
  const principal = await findKey(given)
  if (principal !== null) return { principal, key: given }
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

function ofCookie(cookie: string | undefined, { browserSessions, onWrong }: Authentication): KnownCaller {
  if (cookie === undefined) {
    throw new QuarterdeckError(
      'auth.required',
      'sign in with the link that "quarterdeck serve" prints, or send "Authorization: Bearer <token>" from DATA/token',
    )
  }
  if (browserSessions.isValid(cookie)) return { principal: operator, key: null }
  onWrong()
  throw new QuarterdeckError('auth.invalid', 'this browser is no longer signed in: open a new link from the server')
}
