// A server on a disk that really fills up.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@quarterdeck/client'
import { isDurable } from '@quarterdeck/protocol'
import { describe, expect, it, vi } from 'vitest'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { startServer } from './start-server.ts'

const run = promisify(execFile)

describe('a server whose disk is full', () => {
  it('reports it, is not ready, still reads, and recovers when there is space again', async (context) => {
    await using disk = await mountSmallDisk()
    if (disk === null) return context.skip('this user may not mount a small disk')
    const runtime = { ...(await runtimeOptions([[{ type: 'text', chunks: ['done'] }]])), dataDir: disk.folder }
    const server = await startServer({ host: '127.0.0.1', port: 0, runtime })
    const token = (await readFile(join(disk.folder, 'token'), 'utf8')).trim()
    const client = createClient({ baseUrl: server.url, token })
    const readiness = async () => (await fetch(`${server.url}/ready`)).status
    const { sessionId } = await client.createSession({ agent: 'hello' })
    expect(await readiness()).toBe(200)

    const filler = join(disk.folder, 'filler')
    await fill(filler)
    const content = 'x'.repeat(200_000)
    const refused = client.sendMessage(sessionId, { content })
    await expect(refused).rejects.toMatchObject({
      code: 'store.unavailable',
      message: expect.stringContaining('disk is full'),
    })
    await vi.waitFor(async () => expect(await readiness()).toBe(503), 20_000)
    expect((await client.getSession(sessionId)).session.seq).toBeGreaterThan(0)

    await rm(filler)
    await vi.waitFor(async () => expect(await readiness()).toBe(200), 20_000)
    await client.sendMessage(sessionId, { content: 'again' })
    const thoughts: string[] = []
    for await (const event of client.follow(sessionId)) {
      if (isDurable(event) && event.type === 'AgentThought') thoughts.push(event.data.text)
      if (event.type === 'TurnEnded') break
    }
    expect(thoughts).toEqual(['done'])
    await server.close()
  })
})

async function mountSmallDisk(): Promise<(AsyncDisposable & { readonly folder: string }) | null> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-small-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder])
  } catch {
    await rm(folder, { recursive: true })
    return null
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      // Lazy unmount: the last handles of the database close when they are garbage collected.
      await run('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    },
  }
}

async function fill(file: string): Promise<void> {
  const chunk = Buffer.alloc(4096, 'x')
  const writing = (async () => {
    for (;;) await writeFile(file, chunk, { flag: 'a' })
  })()
  await expect(writing).rejects.toMatchObject({ code: 'ENOSPC' })
}
