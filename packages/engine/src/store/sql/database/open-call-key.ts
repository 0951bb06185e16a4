// The key for the call hashes of this data folder: random, created once, and never in the log.
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { hasErrorCode } from '@quarterdeck/protocol'
import { acceptLossHint, storeUnreadable } from '../../ports/store-errors.ts'

interface CallKeyUse {
  /** Whether the database has sessions. Called only when the file does not exist. */
  readonly isInUse: () => Promise<boolean>
  /** Called before a new key replaces a lost one. Without it, a lost key throws `store.corrupt`. */
  readonly acceptLoss?: ((what: string) => Promise<void>) | undefined
}

const keyBytes = 32

/** Reads the key, or creates it. Concurrent callers get the same one. */
export async function openCallKey(file: string, { isInUse, acceptLoss }: CallKeyUse): Promise<Buffer> {
  const known = await readFile(file).catch(ignoring('ENOENT'))
  if (known?.length === keyBytes) return known
  if (known !== undefined || (await isInUse())) {
    const state = known === undefined ? 'is missing' : `has ${known.length} bytes instead of ${keyBytes}`
    const what = `${file} ${state}, but the database has sessions: their open approvals and client calls would no longer match their calls`
    if (acceptLoss === undefined) throw storeUnreadable(`${what}. Restore it from a backup, or ${acceptLossHint}`)
    await acceptLoss(what)
    await rm(file, { force: true })
  }
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, randomBytes(keyBytes), { mode: 0o600, flag: 'wx' })
    await link(draft, file).catch(ignoring('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  return await readFile(file)
}

const ignoring = (code: string) => (error: unknown) => {
  if (hasErrorCode(error, code)) return undefined
  throw error
}
