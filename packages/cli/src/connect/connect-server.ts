// Changes go through the server that holds the data folder: it has the agents and their processes.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type Client, createClient } from '@quarterdeck/client'
import { dataFolders, openLog } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'
import { defaultPort } from '../flags/port.ts'
import { dataFolder, type JsonFlags, type SharedFlags } from '../flags/runtime-options.ts'
import { commandLine } from '../terminal/command-line.ts'
import { misuse } from '../terminal/misuse.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { useAndClose } from '../terminal/use-and-close.ts'

/** Throws `server.unreachable` if none is running. With a key in QUARTERDECK_TOKEN the log names its owner. */
export async function connectServer(terminal: Terminal, flags: JsonFlags): Promise<Client> {
  const dataDir = dataFolder(terminal, flags)
  const { QUARTERDECK_TOKEN: key, QUARTERDECK_URL: url } = terminal.env
  if (url !== undefined) return createClient(await namedServer(terminal, flags, { url, from: 'QUARTERDECK_URL' }))
  const baseUrl = await addressOf(dataDir)
  if (baseUrl === null) {
    throw new QuarterdeckError(
      'server.unreachable',
      `no server is running on ${dataDir}: start one with "${commandLine(terminal)} serve", or set QUARTERDECK_URL`,
    )
  }
  const token = key ?? (await readToken(dataDir))
  return createClient({ baseUrl, token, fetch: namingTokenFile(dataFolders(dataDir).token) })
}

export interface ServerName {
  readonly url: string
  /** The flag or variable that named it. */
  readonly from: string
  /** The key for that server; QUARTERDECK_TOKEN by default. */
  readonly token?: string
}

/** A named server and its credential: the token of the data folder only if it is the server of that folder. */
export async function namedServer(terminal: Terminal, flags: SharedFlags, name: ServerName) {
  const baseUrl = addressIn(name)
  const token = name.token ?? terminal.env.QUARTERDECK_TOKEN ?? (await ownToken(dataFolder(terminal, flags), baseUrl))
  return { baseUrl, token }
}

/** Without a trailing slash, so that paths can be appended. */
function addressIn({ url: text, from }: ServerName): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin + url.pathname.replace(/\/+$/, '')
  const detail = `${from} is "${text}", which is not the address of a server: use one such as http://127.0.0.1:${defaultPort}`
  throw misuse(detail)
}

/** Unknown clients get only the default path `.quarterdeck/token`; here the file is known. */
const namingTokenFile =
  (file: string): typeof fetch =>
  async (address, init) => {
    const response = await fetch(address, init)
    if (response.status !== 401) return response
    const words = (await response.text()).replaceAll('.quarterdeck/token', JSON.stringify(file).slice(1, -1))
    return new Response(words, response)
  }

/** `null` if no server is running: then only the log can be read. */
export async function connectServerIfRunning(terminal: Terminal, flags: JsonFlags): Promise<Client | null> {
  const isNamed = terminal.env.QUARTERDECK_URL !== undefined
  if (!isNamed && (await addressOf(dataFolder(terminal, flags))) === null) return null
  return connectServer(terminal, flags)
}

/** The token of the server that runs on the data folder. */
export async function addressOf(dataDir: string): Promise<string | null> {
  return useAndClose(openLog(dataDir), async (log) => {
    return await log.serverAddress()
  })
}

/** The token grants full access to the data folder: it is sent only to the server of that folder. */
async function ownToken(dataDir: string, named: string): Promise<string> {
  const own = existsSync(dataFolders(dataDir).database) ? await addressOf(dataDir) : null
  if (own !== null && new URL(named).origin === new URL(own).origin) return readToken(dataDir)
  const detail = `the token of ${dataDir} is sent only to the server on that folder, not to ${named}: set QUARTERDECK_TOKEN`
  throw new QuarterdeckError('auth.required', detail)
}

async function readToken(dataDir: string): Promise<string> {
  const file = dataFolders(dataDir).token
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const detail = `the access token ${file} cannot be read: set QUARTERDECK_TOKEN`
    throw new QuarterdeckError('config.unreadable', detail, { cause })
  })
  return text.trim()
}
