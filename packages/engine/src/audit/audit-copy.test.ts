import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openAuditCopy } from './audit-copy.ts'
import type { HeadNote } from './head-note.ts'
import { readHeads } from './heads-file.ts'

const noteOf = (entries: number, sessions: HeadNote['sessions'] = {}): HeadNote => ({ entries, hash: 'h', sessions })
const quick = { pauseMs: 1, firstRetryMs: 1 }
const patient = { timeout: 60_000 }

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-copy-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('writes to a file that becomes writable later, and reports the failure once', async () => {
  const folder = join(await newFolder(), 'mount')
  const failures: string[] = []
  const copy = openAuditCopy({ target: join(folder, 'heads'), onFailure: (error) => failures.push(error), ...quick })
  onTestFinished(copy.close)
  copy.offer(noteOf(1, { ses_1: 3 }))
  await expect.poll(() => failures, patient).toHaveLength(1)
  copy.offer(noteOf(2, { ses_2: 1 }))
  await mkdir(folder)
  await expect.poll(() => readHeads(join(folder, 'heads')), patient).toEqual([noteOf(2, { ses_1: 3, ses_2: 1 })])
  expect(failures).toHaveLength(1)
})

it('posts notes to an address, retries after a failure, and sends the last note when it closes', async () => {
  const bodies: unknown[] = []
  const statuses = [500, 302, 204]
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const status = statuses.shift() ?? 204
    if (status === 204) bodies.push(JSON.parse(body))
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a listening server has a port
  const copy = openAuditCopy({
    target: `http://127.0.0.1:${port}/heads`,
    onFailure: () => undefined,
    firstRetryMs: 1,
    pauseMs: 3_600_000,
  })
  copy.offer(noteOf(1))
  await expect.poll(() => bodies, patient).toEqual([noteOf(1)])
  copy.offer(noteOf(2))
  copy.offer(noteOf(3, { ses_1: 9 }))
  await copy.close()
  expect(bodies).toEqual([noteOf(1), noteOf(3, { ses_1: 9 })])
})

it('queues one note of bounded size while nothing can be sent, with the sessions that changed last', async () => {
  const target = join(await newFolder(), 'missing', 'heads')
  const copy = openAuditCopy({ target, onFailure: () => undefined, pauseMs: 1, firstRetryMs: 3_600_000 })
  for (let entries = 1; entries <= 3000; entries += 1) copy.offer(noteOf(entries, { [`ses_${entries}`]: 1 }))
  copy.offer(noteOf(3000, { ses_2001: 2 }))
  copy.offer(noteOf(3001, { ses_3001: 1 }))
  await mkdir(join(target, '..'))
  await copy.close()
  const [note, ...others] = await readHeads(target)
  expect(others).toEqual([])
  expect(note?.entries).toBe(3001)
  expect(Object.keys(note?.sessions ?? {})).toHaveLength(1000)
  expect(note?.sessions).toMatchObject({ ses_2001: 2, ses_3000: 1, ses_3001: 1 })
})
