// What a signed-in browser keeps: an expiry and its seal, never the token itself. The seal's key comes from the token,
// so sessions outlive a restart and end all at once when the token is replaced.
import { createHmac } from 'node:crypto'
import { secretsEqual } from './secrets-equal.ts'

export const browserSessionSeconds = 30 * 24 * 60 * 60

export interface BrowserSessions {
  issue(): string
  isValid(value: string): boolean
}

export function createBrowserSessions(accessToken: string, now: () => number): BrowserSessions {
  const key = createHmac('sha256', accessToken).update('quarterdeck browser session v1').digest()
  const seal = (expiry: string) => createHmac('sha256', key).update(expiry).digest('base64url')
  return {
    issue() {
      const expiry = String(now() + browserSessionSeconds * 1000)
      return `${expiry}.${seal(expiry)}`
    },
    isValid(value) {
      const [expiry, given, ...rest] = value.split('.')
      if (expiry === undefined || given === undefined || rest.length > 0 || !/^\d{1,16}$/.test(expiry)) return false
      return secretsEqual(given, seal(expiry)) && Number(expiry) > now()
    },
  }
}

/** Cookies ignore ports: the name keeps two servers of one machine apart. */
export const cookieNameFor = (host: string): string => `quarterdeck_${/:(\d+)$/.exec(host)?.[1] ?? 'default'}`
