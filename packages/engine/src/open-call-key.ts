// The key of this data folder's call hashes: random, made once, and never in the log.
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'

/** Reads the key, or makes it. Whoever comes at the same time gets the same one. */
export async function openCallKey(file: string): Promise<Buffer> {
  const known = await readFile(file).catch(ignoring('ENOENT'))
  if (known !== undefined) return known
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, randomBytes(32), { mode: 0o600, flag: 'wx' })
    await link(draft, file).catch(ignoring('EEXIST'))
  } finally {
    await rm(draft, { force: true })
  }
  return await readFile(file)
}

const ignoring = (code: string) => (error: unknown) => {
  if (error instanceof Error && 'code' in error && error.code === code) return undefined
  throw error
}
