// A server whose data folder turns read-only while it runs and becomes writable again later.
import { execFile } from 'node:child_process'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@quarterdeck/client'
import { isDurable } from '@quarterdeck/protocol'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runtimeOptions } from '../runtime/runtime.fixture.ts'
import { startServer } from './start-server.ts'

const run = promisify(execFile)

/** A mount with files that are open for writing cannot be made read-only; the files themselves can be. */
const setImmutable = (paths: readonly string[]) => run('chattr', ['+i', ...paths])
const clearImmutable = (paths: readonly string[]) => run('chattr', ['-i', ...paths])

/** Whether a file that is already open refuses writes once it is immutable. */
async function canSetImmutable(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-immutable-'))
  const path = join(folder, 'file')
  const file = await open(path, 'w')
  try {
    await setImmutable([path])
    return await file.write('x').then(
      () => false,
      () => true,
    )
  } catch {
    return false
  } finally {
    await clearImmutable([path]).catch(() => undefined)
    await file.close()
    await rm(folder, { recursive: true })
  }
}

it('answers changes with 503, is not ready, still reads, and loses no accepted message', async (context) => {
  if (!(await canSetImmutable())) return context.skip('this user cannot make open files read-only (chattr +i)')
  const options = await runtimeOptions([[{ type: 'text', chunks: ['done'] }]])
  const server = await startServer({ host: '127.0.0.1', port: 0, runtime: options })
  onTestFinished(() => server.close())
  const token = (await readFile(join(options.dataDir, 'token'), 'utf8')).trim()
  const client = createClient({ baseUrl: server.url, token })
  const readiness = async () => (await fetch(`${server.url}/ready`)).status
  const { sessionId } = await client.createSession({ agent: 'hello' })
  await client.sendMessage(sessionId, { content: 'accepted' })
  await expect.poll(async () => (await client.getSession(sessionId)).session.status).toBe('idle')
  const before = (await client.readEvents(sessionId)).events

  const folder = join(options.dataDir, 'db')
  const paths = [folder, ...(await readdir(folder)).map((name) => join(folder, name))]
  await setImmutable(paths)
  onTestFinished(async () => {
    await clearImmutable(paths)
  })
  const answer = await fetch(`${server.url}/v1/sessions/${sessionId}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'refused' }),
  })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(await answer.json()).toMatchObject({ code: 'store.unavailable' })
  await vi.waitFor(async () => expect(await readiness()).toBe(503), 20_000)
  expect((await client.readEvents(sessionId)).events).toEqual(before)

  await clearImmutable(paths)
  await vi.waitFor(async () => expect(await readiness()).toBe(200), 20_000)
  await client.sendMessage(sessionId, { content: 'again' })
  const accepted: string[] = []
  let turns = 0
  for await (const event of client.follow(sessionId)) {
    if (isDurable(event) && event.type === 'UserMessageQueued') accepted.push(event.data.content)
    if (event.type === 'TurnEnded') turns += 1
    if (turns === 2) break
  }
  expect(accepted).toEqual(['accepted', 'again'])
})
