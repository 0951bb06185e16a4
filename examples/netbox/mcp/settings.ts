// Reads and checks the settings from the environment.
import { type LogLevel, logLevelOf } from './log.ts'

export interface Settings {
  /** The base URL of NetBox, without `api/`; `null` for the made-up company. */
  readonly url: URL | null
  readonly token: string
  readonly logLevel: LogLevel
  /** The token would be sent unencrypted. */
  readonly isInTheClear: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Throws a sentence that never contains the token. */
export function readSettings(env: Environment): Settings {
  const address = env.NETBOX_URL?.trim() ?? ''
  const token = env.NETBOX_TOKEN?.trim() ?? ''
  const logLevel = logLevelOf(env.LOG_LEVEL)
  if (address === '') {
    if (token !== '')
      throw new Error('NETBOX_TOKEN is set but NETBOX_URL is not: set both, or neither to use made-up data')
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
  // A header with it would fail with an error that quotes the token.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new Error('Invalid NetBox token: NETBOX_TOKEN contains spaces or characters that are not allowed')
  return token
}

function checkedUrl(address: string): URL {
  const example = 'such as https://netbox.example.org'
  if (!URL.canParse(address)) throw new Error(`NETBOX_URL is not a URL: set one ${example}`)
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`NETBOX_URL must be http or https, ${example}`)
  if (url.username !== '' || url.password !== '') throw new Error('NETBOX_URL must not contain a user name or password')
  // Accepts URLs copied from a browser or from the API documentation.
  const folder = url.pathname.replace(/\/api\/?$/, '/').replace(/\/?$/, '/')
  return new URL(folder, url.origin)
}
