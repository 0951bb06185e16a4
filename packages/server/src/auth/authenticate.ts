import type { KeyRing } from '@quarterdeck/engine'
import { type Principal, QuarterdeckError, tokenProtocolPrefix } from '@quarterdeck/protocol'
import type { MiddlewareHandler } from 'hono'
import { parse as parseCookies } from 'hono/utils/cookie'
import type { AppEnv, KnownCaller } from '../http/app-env.ts'
import { isOwnOrigin } from '../middleware/check-origin.ts'
import { type BrowserSessions, cookieNameFor } from './browser-sessions.ts'
import { secretsEqual } from './secrets-equal.ts'

/** The principal of the data folder's token and of browsers signed in with it. */
export const operator: Principal = { name: 'operator', owner: 'operator', scope: 'admin', requestsPerMinute: null }

export type KeyLookup = Pick<KeyRing, 'find'>

export interface Authentication {
  readonly accessToken: string
  readonly keys: KeyLookup
  readonly browserSessions: BrowserSessions
  /** Called for each wrong credential; throws when there were too many. */
  readonly onWrong: () => void
}

/** The credentials of a request. */
export interface Credentials {
  readonly host: string
  readonly cookie: string | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** From clients that cannot send headers: a WebSocket subprotocol. */
  readonly token?: string | undefined
}

/** Sets the principal of a request, or refuses it with 401. */
export function authenticate(
  authentication: Authentication & { readonly publicUrl: string | null },
): MiddlewareHandler<AppEnv> {
  const { publicUrl } = authentication
  return async (c, next) => {
    const origin = c.req.header('origin')
    // Listed origins send a token. A browser would add our cookie to their WebSockets without being asked.
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

/** Throws `auth.required` or `auth.invalid`. A valid cookie does not excuse a wrong token. */
async function identify(authentication: Authentication, shown: Credentials): Promise<KnownCaller> {
  if (shown.authorization !== undefined) return ofToken(bearerOf(shown.authorization), authentication)
  if (shown.token !== undefined) return ofToken(shown.token, authentication)
  const name = cookieNameFor(shown.host)
  return ofCookie(parseCookies(shown.cookie ?? '', name)[name], authentication)
}

/** `Sec-WebSocket-Protocol: quarterdeck.token.<t>`, the only header that a page can set on a WebSocket. */
const tokenOf = (protocols: string | undefined): string | undefined =>
  protocols
    ?.split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(tokenProtocolPrefix))
    ?.slice(tokenProtocolPrefix.length)

function bearerOf(header: string): string {
  const given = /^Bearer +(\S+)$/i.exec(header)?.[1]
  if (given !== undefined) return given
  throw new QuarterdeckError('auth.required', 'send the header "Authorization: Bearer <token>"')
}

async function ofToken(given: string, { accessToken, keys, onWrong }: Authentication): Promise<KnownCaller> {
  if (secretsEqual(given, accessToken)) return { principal: operator, key: null }
  const principal = await keys.find(given)
  if (principal !== null) return { principal, key: given }
  onWrong()
  throw unknownToken()
}

/** For a long request: refuses a key that was revoked meanwhile. */
export async function requireKey(key: string | null, keys: KeyLookup): Promise<void> {
  if (key !== null && (await keys.find(key)) === null) throw unknownToken()
}

const unknownToken = () =>
  new QuarterdeckError(
    'auth.invalid',
    'this token is unknown: use the one in .quarterdeck/token, or create a key with "quarterdeck keys create"',
  )

function ofCookie(cookie: string | undefined, { browserSessions, onWrong }: Authentication): KnownCaller {
  if (cookie === undefined) {
    throw new QuarterdeckError(
      'auth.required',
      'sign in with the link that "quarterdeck serve" prints, or send "Authorization: Bearer <token>" from .quarterdeck/token',
    )
  }
  if (browserSessions.isValid(cookie)) return { principal: operator, key: null }
  onWrong()
  throw new QuarterdeckError('auth.invalid', 'this browser is no longer signed in: open a new link from the server')
}
