import { chmod, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ensureAccessToken } from './access-token.ts'

const newFolder = () => mkdtemp(join(tmpdir(), 'quarterdeck-token-'))

describe('the access token', () => {
  it('is created on the first start, has 32 random bytes, and is readable by its owner only', async () => {
    const dataDir = join(await newFolder(), 'data')
    const token = await ensureAccessToken(dataDir)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect((await readFile(join(dataDir, 'token'), 'utf8')).trim()).toBe(token)
    expect((await stat(join(dataDir, 'token'))).mode & 0o777).toBe(0o600)
  })

  it('stays the same on later starts and leaves no draft behind', async () => {
    const dataDir = await newFolder()
    const first = await ensureAccessToken(dataDir)
    expect(await ensureAccessToken(dataDir)).toBe(first)
    expect(await readdir(dataDir)).toEqual(['token'])
  })

  it('is the same when several first starts race', async () => {
    const dataDir = await newFolder()
    const tokens = await Promise.all(Array.from({ length: 8 }, () => ensureAccessToken(dataDir)))
    expect(new Set(tokens).size).toBe(1)
  })

  it('removes read access of others from the file', async () => {
    const dataDir = await newFolder()
    await ensureAccessToken(dataDir)
    await chmod(join(dataDir, 'token'), 0o644)
    await ensureAccessToken(dataDir)
    expect((await stat(join(dataDir, 'token'))).mode & 0o777).toBe(0o600)
  })

  it('refuses a file without a token and says how to fix it', async () => {
    const dataDir = await newFolder()
    await writeFile(join(dataDir, 'token'), 'guess me')
    await expect(ensureAccessToken(dataDir)).rejects.toThrow(/delete it/)
  })
})
