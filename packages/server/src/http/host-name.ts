import { isIP } from 'node:net'

/** Only this machine can reach it. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

/** Every address of this machine. */
export const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::' || host === '[::]'

/** As written in a URL. */
export const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
