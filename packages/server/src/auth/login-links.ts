// One-time codes in login links that sign a browser in.
import { randomBytes } from 'node:crypto'
import { secretsEqual } from './secrets-equal.ts'

const lifetimeMs = 10 * 60 * 1000
const maxOpenCodes = 20

export type LoginLinks = ReturnType<typeof createLoginLinks>

export function createLoginLinks(now: () => number) {
  let open: { readonly code: string; readonly expiresAt: number }[] = []
  return {
    /** A new code, valid once within ten minutes. Beyond twenty, the oldest open one is dropped. */
    issue(): string {
      const code = randomBytes(24).toString('base64url')
      open = [...open.slice(1 - maxOpenCodes), { code, expiresAt: now() + lifetimeMs }]
      return code
    },
    /** True exactly once per code. */
    redeem(code: string): boolean {
      // Compares every open code, so that the time reveals nothing.
      const matching = open.filter((entry) => secretsEqual(entry.code, code))
      open = open.filter((entry) => !matching.includes(entry) && entry.expiresAt > now())
      return matching.some((entry) => entry.expiresAt > now())
    },
  }
}
