// One-time codes that turn a link in the terminal into a signed-in browser.
import { randomBytes } from 'node:crypto'
import { secretsEqual } from './secrets-equal.ts'

const lifetimeMs = 10 * 60 * 1000
const maxOpenCodes = 20

export interface LoginLinks {
  /** A new code, good once within ten minutes. The oldest open one is dropped beyond twenty. */
  issue(): string
  /** True exactly once per code. */
  redeem(code: string): boolean
}

export function createLoginLinks(now: () => number): LoginLinks {
  let open: { readonly code: string; readonly expiresAt: number }[] = []
  return {
    issue() {
      const code = randomBytes(24).toString('base64url')
      open = [...open.slice(1 - maxOpenCodes), { code, expiresAt: now() + lifetimeMs }]
      return code
    },
    redeem(code) {
      // Every open code is compared, so that the time taken tells nothing about which one was close.
      const matching = open.filter((entry) => secretsEqual(entry.code, code))
      open = open.filter((entry) => !matching.includes(entry) && entry.expiresAt > now())
      return matching.some((entry) => entry.expiresAt > now())
    },
  }
}
