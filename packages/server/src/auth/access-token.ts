// The one secret of a data folder. Whoever can read the file may do everything through the API.
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataFolders } from '@quarterdeck/engine'
import { QuarterdeckError } from '@quarterdeck/protocol'

/** 32 bytes as base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{43}$/

/** Reads `DATA/token`, or makes it on the first start. Two first starts at once end up with the same token. */
export async function ensureAccessToken(dataDir: string): Promise<string> {
  const file = dataFolders(dataDir).token
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const existing = await readToken(file)
  if (existing !== null) return existing
  const draft = join(dataDir, `.token-${randomBytes(6).toString('hex')}`)
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
    // A link appears whole or not at all, and never replaces a token somebody else made meanwhile.
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  const made = await readToken(file)
  if (made === null) throw new QuarterdeckError('config.unreadable', `the access token ${file} could not be made`)
  return made
}

async function readToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null
    throw new QuarterdeckError('config.unreadable', `the access token ${file} cannot be read`, { cause: error })
  })
  if (text === null) return null
  const token = text.trim()
  if (!tokenPattern.test(token)) {
    throw new QuarterdeckError('config.invalid', `${file} is not an access token: delete it and a new one is made`)
  }
  await chmod(file, 0o600)
  return token
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
