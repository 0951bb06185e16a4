import type { Context, Handler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { AppEnv } from '../http/app-env.ts'
import { plainPage } from '../http/plain-page.ts'
import { type BrowserSessions, browserSessionSeconds, cookieNameFor } from './browser-sessions.ts'
import type { LoginLinks } from './login-links.ts'

export interface LoginDeps {
  readonly links: LoginLinks
  readonly browserSessions: BrowserSessions
  /** Set behind an https address, where the cookie must not travel unencrypted. */
  readonly isSecure: boolean
  /** Called for each invalid code; throws when there were too many. */
  readonly onWrong: () => void
}

/** `GET /login?code=…`: exchanges a code for a cookie, once. */
export function loginRoute({ links, browserSessions, isSecure, onWrong }: LoginDeps): Handler<AppEnv> {
  return (c) => {
    c.header('cache-control', 'no-store')
    // A HEAD request, such as a link preview, must not consume the code.
    if (c.req.method === 'HEAD') return c.body(null, 200)
    const cookieName = cookieNameFor(c.req.header('host') ?? '')
    if (links.redeem(c.req.query('code') ?? '')) {
      setCookie(c, cookieName, browserSessions.issue(), {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        maxAge: browserSessionSeconds,
        secure: isSecure,
      })
      return c.redirect('/', 303)
    }
    const cookie = getCookie(c, cookieName)
    if (cookie !== undefined && browserSessions.isValid(cookie)) return c.redirect('/', 303)
    onWrong()
    return usedLinkPage(c)
  }
}

const usedLinkPage = (c: Context<AppEnv>) =>
  c.html(
    plainPage('This sign-in link no longer works', [
      'A link signs in one browser, once, within ten minutes of being printed.',
      'Stop the server and start it again (npm start, or quarterdeck serve), then open the new link it prints. Nothing is lost.',
    ]),
    401,
  )
