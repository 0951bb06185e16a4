// `quarterdeck keys create | ls | revoke`: a token of its own for a person or a program, so that the log can name them.

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { openKeyRing } from '@quarterdeck/engine'
import { QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../house-options.ts'
import { jsonText, print, remark, type Terminal } from '../terminal.ts'

export interface KeysFlags extends SharedFlags {
  readonly json?: boolean
}

/** A mistyped folder must not become a new one, with a key that opens nothing. */
function openRing(terminal: Terminal, flags: KeysFlags): ReturnType<typeof openKeyRing> {
  const dataDir = dataFolder(terminal, flags)
  if (existsSync(dataDir)) return openKeyRing(dataDir)
  throw new QuarterdeckError(
    'config.unreadable',
    `${dataDir} is no data folder: say --data FOLDER, or start a server first`,
  )
}

/** The token is shown this once: only its hash is kept. */
export async function createKey(terminal: Terminal, input: { name: string; flags: KeysFlags }): Promise<number> {
  const ring = await openRing(terminal, input.flags)
  try {
    const token = await ring.create(input.name, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ name: input.name, token }))
    else {
      print(terminal, token)
      remark(
        terminal,
        `the key of ${visibleText(input.name)}: kept nowhere, so keep it now. Send it as a bearer token.`,
      )
    }
    return 0
  } finally {
    await ring.close()
  }
}

/** Names and times; a token is shown to nobody again. */
export async function listKeys(terminal: Terminal, flags: KeysFlags): Promise<number> {
  const ring = await openRing(terminal, flags)
  try {
    const keys = await ring.list()
    if (flags.json === true) print(terminal, jsonText(keys))
    else if (keys.length === 0) remark(terminal, 'no keys yet: make one with "quarterdeck keys create NAME"')
    else for (const key of keys) print(terminal, describe(key))
    return 0
  } finally {
    await ring.close()
  }
}

type Key = Awaited<ReturnType<Awaited<ReturnType<typeof openKeyRing>>['list']>>[number]

const describe = ({ name, createdAt, revokedAt }: Key): string =>
  `${visibleText(name)}  since ${createdAt}${revokedAt === null ? '' : `, revoked ${revokedAt}`}`

/** The next request with its token is refused, by a running server too. */
export async function revokeKey(terminal: Terminal, input: { name: string; flags: KeysFlags }): Promise<number> {
  const ring = await openRing(terminal, input.flags)
  try {
    await ring.revoke(input.name, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ name: input.name, revoked: true }))
    else print(terminal, `revoked ${visibleText(input.name)}`)
    return 0
  } finally {
    await ring.close()
  }
}
