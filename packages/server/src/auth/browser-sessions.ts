// The cookie of a signed-in browser: an expiry and its signature, never the token itself. The signing key derives from
// the token, so sessions survive a restart and end when the token is replaced.
import { createHmac } from 'node:crypto'
import { secretsEqual } from './secrets-equal.ts'

export const browserSessionSeconds = 30 * 24 * 60 * 60

export type BrowserSessions = ReturnType<typeof createBrowserSessions>

export function createBrowserSessions(accessToken: string, now: () => number) {
  const key = createHmac('sha256', accessToken).update('quarterdeck browser session v1').digest()
  const seal = (expiry: string) => createHmac('sha256', key).update(expiry).digest('base64url')
  return {
    issue(): string {
      const expiry = String(now() + browserSessionSeconds * 1000)
      return `${expiry}.${seal(expiry)}`
    },
    isValid(value: string): boolean {
      const [expiry, given, ...rest] = value.split('.')
      if (expiry === undefined || given === undefined || rest.length > 0 || !/^\d{1,16}$/.test(expiry)) return false
      return secretsEqual(given, seal(expiry)) && Number(expiry) > now()
    },
  }
}

/** Cookies ignore ports: the name separates two servers on one machine. */
export const cookieNameFor = (host: string): string => `quarterdeck_${/:(\d+)$/.exec(host)?.[1] ?? 'default'}`
