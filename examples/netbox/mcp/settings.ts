// What the environment says, checked before anything is asked.
import { type LogLevel, logLevelOf } from './log.ts'

export interface Settings {
  /** Where NetBox's API begins, without `api/`; `null` for the made-up company. */
  readonly url: URL | null
  readonly token: string
  readonly logLevel: LogLevel
  /** The token would leave this machine unencrypted. */
  readonly isInTheClear: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Throws a sentence that never holds the token. */
export function readSettings(env: Environment): Settings {
  const address = env.NETBOX_URL?.trim() ?? ''
  const token = env.NETBOX_TOKEN?.trim() ?? ''
  const logLevel = logLevelOf(env.LOG_LEVEL)
  if (address === '') {
    if (token !== '') throw new Error('NETBOX_TOKEN is set and NETBOX_URL is not: set both, or none for made-up data')
    return { url: null, token, logLevel, isInTheClear: false }
  }
  const url = checkedUrl(address)
  const isInTheClear = url.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  return { url, token: checkedToken(token), logLevel, isInTheClear }
}

const shortestToken = 20

function checkedToken(token: string): string {
  if (token.length < shortestToken) {
    throw new Error(`Invalid NetBox token: NETBOX_TOKEN must have at least ${shortestToken} characters`)
  }
  // A header would be refused with an error that quotes it.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('Invalid NetBox token: NETBOX_TOKEN holds blanks or odd letters')
  return token
}

function checkedUrl(address: string): URL {
  const mend = 'such as https://netbox.example.org'
  if (!URL.canParse(address)) throw new Error(`NETBOX_URL is no address: give one ${mend}`)
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`NETBOX_URL must be http or https, ${mend}`)
  if (url.username !== '' || url.password !== '') throw new Error('NETBOX_URL must not hold a name or password')
  // What people copy from a browser or from the docs of the API.
  const folder = url.pathname.replace(/\/api\/?$/, '/').replace(/\/?$/, '/')
  return new URL(folder, url.origin)
}
