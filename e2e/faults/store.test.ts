// The disk fills up, or another process locks the database, while agents work. They wait and then continue.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolders } from '@quarterdeck/engine'
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'
import Libsql from 'libsql'
import { afterEach, describe, expect, it } from 'vitest'
import { type LoopbackProvider, startProvider } from '../support/network/loopback-provider.ts'
import { reportFacts, scale } from '../support/server/scale.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil } from '../support/server/watched-session.ts'
import { expectBooked, expectServerIntact, expectSessionIntact } from './invariants.ts'
import { fillDisk, mountSmallDisk } from './small-disk.ts'

const patience = { timeout: 170_000 }

/** An answer takes about four seconds. */
const slowWords = `steps:
  - when: { text: slowly }
    then:
      text: One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen.
      pace_ms: 250
    repeat: true
  - { when: {}, then: { text: Right away. }, repeat: true }
`

let provider: LoopbackProvider
const running: ServedProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
  await provider.close()
})

async function start(dataDir?: string): Promise<ServedProcess> {
  provider = await startProvider({ script: slowWords })
  const served = await serveProcess({ env: provider.env, ...(dataDir === undefined ? {} : { dataDir }) })
  running.push(served)
  return served
}

const readiness = async ({ url }: ServedProcess): Promise<number> => (await fetch(`${url}/ready`)).status

/** A session with an answer in progress, and the events its client sees until it is idle. */
async function beginAnswer(served: ServedProcess) {
  const { sessionId } = await served.client.createSession({ agent: 'hello', message: 'Tell it slowly.' })
  const seen: StreamedEvent[] = await watchUntil(served, sessionId, (event) => event.type === 'AgentStreamToken')
  const wasIdle = watchUntil(served, sessionId, isStatus('idle', 'failed', 'interrupted'))
  return { sessionId, seen, wasIdle }
}

async function expectAnswersIntact(served: ServedProcess, begun: readonly Awaited<ReturnType<typeof beginAnswer>>[]) {
  const logs = []
  for (const { sessionId, seen } of begun) {
    await goOn(served, sessionId)
    logs.push(await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Tell it slowly.', 'And now?'] }))
    expect((await served.client.getSession(sessionId)).session.lastResult).toBe('Right away.')
  }
  expectBooked(provider, logs)
  await expectServerIntact(served)
  return logs
}

async function goOn(served: ServedProcess, sessionId: SessionId): Promise<void> {
  const { appliedSeq } = await served.client.sendMessage(sessionId, { content: 'And now?' })
  await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > appliedSeq && isStatus('idle')(event))
}

describe('a disk that fills up while agents answer', () => {
  it('delays them and loses nothing: they continue when there is free space', async (context) => {
    await using disk = await mountSmallDisk('64m')
    if (disk === null) return context.skip('this user may not mount a small disk')
    const served = await start(join(disk.folder, 'data'))
    const begun = [await beginAnswer(served), await beginAnswer(served)]
    const filler = join(disk.folder, 'filler')
    await fillDisk(filler)
    const [first] = begun
    if (first === undefined) throw new Error('nothing was begun')
    await expect(
      served.client.sendMessage(first.sessionId, { content: 'x'.repeat(190_000) }, { key: 'too-much' }),
    ).rejects.toMatchObject({ code: 'store.unavailable', message: expect.stringContaining('disk is full') })
    await expect.poll(() => readiness(served), patience).toBe(503)
    // The provider finishes the answers while nothing can be written.
    await sleep(8000)
    expect((await served.client.getSession(first.sessionId)).session.seq).toBeGreaterThan(0)
    await rm(filler)
    await expect.poll(() => readiness(served), patience).toBe(200)
    for (const { wasIdle } of begun) await wasIdle
    const logs = await expectAnswersIntact(served, begun)
    expect(logs.flat().filter((event) => event.type === 'TurnEnded')).toHaveLength(4)
    await served.kill('SIGKILL') // before its disk is unmounted
  })
})

describe('a database locked by another process', () => {
  const seconds = scale(5, 45)

  it(`for ${seconds} s while agents answer delays them and loses nothing`, async () => {
    const served = await start()
    const begun = [await beginAnswer(served), await beginAnswer(served)]
    const other = new Libsql(dataFolders(served.dataDir).database)
    other.exec('pragma busy_timeout = 60000') // the server may be writing at this moment
    other.exec('begin immediate')
    const sent = begun.map(({ sessionId }, number) =>
      served.client.sendMessage(
        sessionId,
        { content: 'Meanwhile.', delivery: 'queued' },
        { key: `meanwhile-${number}` },
      ),
    )
    // Awaited from now on: a refusal may arrive while the lock is still held.
    const settled = Promise.allSettled(sent)
    await sleep(seconds * 1000)
    other.exec('rollback')
    other.close()
    const answers = await settled
    for (const answer of answers) {
      // Delayed, or refused with a request to retry, but never acknowledged and lost.
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'store.unavailable' })
    }
    for (const { wasIdle } of begun) await wasIdle
    await sleep(1000)
    const logs = await expectAnswersIntact(served, begun)
    logs.forEach((log, number) => {
      const times = log.filter((event) => event.type === 'UserMessageQueued' && event.data.content === 'Meanwhile.')
      expect(times).toHaveLength(answers[number]?.status === 'fulfilled' ? 1 : 0)
    })
    await reportFacts('a database locked by another process', { seconds, sessions: begun.length })
  })
})
