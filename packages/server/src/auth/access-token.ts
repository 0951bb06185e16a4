// The secret of a data folder. It grants every permission of the API.
import { randomBytes } from 'node:crypto'
import { chmod, link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders, makeFolder } from '@quarterdeck/engine'
import { hasErrorCode, QuarterdeckError } from '@quarterdeck/protocol'

/** 32 bytes as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Reads the file `token` of the data folder, or creates it on the first start. Two concurrent first starts get the same token. */
export async function ensureAccessToken(dataDir: string): Promise<string> {
  const file = dataFolders(dataDir).token
  await makeFolder(dataDir, 0o700)
  const existing = await readToken(file)
  if (existing !== null) return existing
  const draft = join(dataDir, `.token-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    // A link appears atomically and never replaces a token that another process created meanwhile.
    await link(draft, file).catch((error: unknown) => {
      if (!hasErrorCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readToken(file)
  if (made === null) throw new QuarterdeckError('config.unreadable', `the access token ${file} could not be created`)
  return made
}

async function readToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT')) return null
    throw new QuarterdeckError('config.unreadable', `the access token ${file} cannot be read`, { cause: error })
  })
  if (text === null) return null
  const token = text.trim()
  if (!tokenPattern.test(token)) {
    throw new QuarterdeckError('config.invalid', `${file} is not an access token: delete it to create a new one`)
  }
  await chmod(file, 0o600)
  return token
}
