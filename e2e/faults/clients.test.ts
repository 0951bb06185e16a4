// Clients that vanish, read slowly, or connect and leave by the thousand. The server keeps nothing of them, and the log
// stays complete.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createClient } from '@quarterdeck/client'
import { silentLogger } from '@quarterdeck/engine'
import type { SessionId } from '@quarterdeck/protocol'
import { startServer } from '@quarterdeck/server'
import { afterEach, describe, expect, it } from 'vitest'
import { vitalsOf } from '../support/server/process-vitals.ts'
import { isSoak, reportFacts, scale } from '../support/server/scale.ts'
import { examples, newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { expectServerIntact, expectSessionIntact } from './invariants.ts'
import { openRawReader, type RawReader } from './raw-reader.ts'

const patience = { timeout: 170_000 }
const clients = scale(200, 10_000)

const running: ServedProcess[] = []
async function start(args: readonly string[] = []): Promise<ServedProcess> {
  const served = await serveProcess({ args: ['--model-source', 'simulator', ...args] })
  running.push(served)
  return served
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((served) => served.kill('SIGKILL')))
})

describe('clients that leave during a stream', () => {
  it('lose nothing: the turn ends normally, and a returning client gets the remaining events', async () => {
    const served = await start(['--script', new URL('../scenarios/slow-words.yaml', import.meta.url).pathname])
    const { sessionId } = await served.client.createSession({ agent: 'hello' })
    const { openFiles } = await vitalsOf(served.pid)
    const readers = Array.from({ length: 20 }, () => openRawReader(served, sessionId))
    await Promise.all(readers.map(({ connected }) => connected))
    await served.client.sendMessage(sessionId, { content: 'Say something.' })
    await watchUntil(served, sessionId, (event) => event.type === 'TurnStarted')
    for (const reader of readers) reader.leave()
    const seen = await watchUntil(served, sessionId, isStatus('idle'))
    const log = await expectSessionIntact(served, sessionId, { seen, acknowledged: ['Say something.'] })
    expect(log.some((event) => event.type === 'TurnEnded' && event.data.outcome === 'completed')).toBe(true)
    // The agent's own process and spares have open files too.
    await expect.poll(async () => (await vitalsOf(served.pid)).openFiles, patience).toBeLessThan(openFiles + 20)
    await expectServerIntact(served)
  })
})

describe('clients that do not read', () => {
  const slow = scale(40, 120)
  const messages = scale(40, 100)
  const contentBytes = 195_000
  /** The cost of one client: its buffer, and ten serialized events. */
  const share = 128 * 1024 + 10 * contentBytes

  /** A log of many megabytes without an agent: a paused session keeps its messages until they are cancelled. */
  async function longLog(served: Pick<ServedProcess, 'client'>): Promise<SessionId> {
    const { sessionId } = await served.client.createSession({ agent: 'hello' })
    await served.client.pause(sessionId)
    const content = 'x'.repeat(contentBytes)
    for (let sent = 0; sent < messages; sent += 1) {
      const { messageId } = await served.client.sendMessage(sessionId, { content: `${sent} ${content}` })
      await served.client.cancelMessage(sessionId, messageId)
      await sleep(100) // a server accepts twenty changes per second
    }
    return sessionId
  }

  it(`cost the server a bounded amount (${slow} clients), and get all events once they read`, async () => {
    const served = await start()
    const sessionId = await longLog(served)
    const log = await wholeLog(served, sessionId)
    const before = await vitalsOf(served.pid)
    const readers = Array.from({ length: slow }, () => openRawReader(served, sessionId))
    for (const reader of readers) reader.pause()
    await Promise.all(readers.map(({ connected }) => connected))
    await sleep(5000)
    const during = await vitalsOf(served.pid)
    // The whole log would be many megabytes per client. A process returns collected memory late.
    expect(during.residentMiB - before.residentMiB).toBeLessThan(100 + mebibytes(slow * share))
    for (const reader of readers) reader.resume()
    const size = log.reduce((sum, event) => sum + JSON.stringify(event).length, 0)
    await expect.poll(() => readers.every((reader) => reader.bytesRead() > size), patience).toBe(true)
    // Parsing all events takes longer than the other steps of this test.
    for (const reader of [readers[0], readers.at(-1)]) {
      // The framing of events counts too, so this many bytes can arrive before the last event.
      await expect.poll(() => reader?.events().length, patience).toBe(log.length)
      expect(reader?.events()).toEqual(log)
    }
    for (const reader of readers) reader.leave()
    await expectSessionIntact(served, sessionId)
    await expectServerIntact(served)
    await reportFacts('slow clients', {
      clients: slow,
      messages,
      'resident before (MiB)': before.residentMiB,
      'resident during (MiB)': during.residentMiB,
    })
  })

  it(`have bounded buffers (${slow} clients), garbage not counted`, async () => {
    const here = await startHere()
    try {
      const sessionId = await longLog(here)
      const before = bytesInUse().all
      const readers = Array.from({ length: slow }, () => openRawReader(here, sessionId))
      for (const reader of readers) reader.pause()
      await Promise.all(readers.map(({ connected }) => connected))
      await sleep(5000)
      const heldMiB = mebibytes(bytesInUse().all - before)
      for (const reader of readers) reader.leave()
      expect(heldMiB).toBeLessThan(10 + mebibytes(slow * share))
      await reportFacts('memory held for slow clients', { clients: slow, 'held (MiB)': heldMiB })
    } finally {
      await here.close()
    }
  })

  it.runIf(isSoak)('are disconnected after a minute, and return with their cursor', async () => {
    const served = await start()
    const sessionId = await longLog(served)
    const log = await wholeLog(served, sessionId)
    const reader = openRawReader(served, sessionId)
    await reader.connected
    reader.pause()
    await sleep(100_000)
    reader.resume()
    await expect.poll(() => reader.isCutOff(), patience).toBe(true)
    const first = reader.events()
    expect(first.length).toBeLessThan(log.length)
    const again = openRawReader(served, sessionId, first.at(-1)?.seq ?? 0)
    await expect.poll(() => first.length + again.events().length, patience).toBe(log.length)
    expect([...first, ...again.events()]).toEqual(log)
    again.leave()
    await expectServerIntact(served)
  })
})

describe(`${clients} clients that connect and leave`, () => {
  const timeout = { timeout: scale(180_000, 1_200_000) }

  it('leave no socket and no memory in a served process', timeout, async () => {
    const served = await start()
    const { sessionId } = await served.client.createSession({ agent: 'hello' })
    // Collected memory returns to the system late or never, so the test checks that memory stops growing.
    await comeAndGo(served, sessionId, scale(100, 5000))
    await settled(served.pid, 30)
    const before = await vitalsOf(served.pid)
    await comeAndGo(served, sessionId, clients)
    await expect
      .poll(async () => (await vitalsOf(served.pid)).openFiles, patience)
      .toBeLessThanOrEqual(before.openFiles)
    const after = await vitalsOf(served.pid)
    expect(after.residentMiB - before.residentMiB).toBeLessThan(64)
    await expectSessionIntact(served, sessionId)
    await expectServerIntact(served)
    await reportFacts('clients connecting and leaving', {
      clients,
      'resident before (MiB)': before.residentMiB,
      'resident after (MiB)': after.residentMiB,
      'open files before': before.openFiles,
      'open files after': after.openFiles,
    })
  })

  it('leave no listener and no heap in the engine', timeout, async () => {
    const here = await startHere()
    try {
      const { sessionId } = await here.client.createSession({ agent: 'hello' })
      await comeAndGo(here, sessionId, 100)
      const before = bytesInUse().heap
      await comeAndGo(here, sessionId, clients)
      await expect.poll(here.listenerCount, patience).toBe(0)
      const grown = mebibytes(bytesInUse().heap - before)
      // With ten thousand clients, a few kilobytes each would already exceed this.
      expect(grown).toBeLessThan(16)
      await reportFacts('listeners and heap after clients left', { clients, 'heap grown (MiB)': grown })
    } finally {
      await here.close()
    }
  })
})

/** At most 150 per second: the server refuses more. */
async function comeAndGo(
  served: Pick<ServedProcess, 'url' | 'token'>,
  sessionId: SessionId,
  count: number,
): Promise<void> {
  for (let left = 0; left < count; left += 50) {
    const nextAt = performance.now() + 334
    const readers: RawReader[] = Array.from({ length: 50 }, () => openRawReader(served, sessionId))
    await Promise.all(readers.map(({ connected }) => connected))
    for (const reader of readers) reader.leave()
    await sleep(Math.max(0, nextAt - performance.now()))
  }
}

/** Until the number of open files stops falling. */
async function settled(pid: number, seconds: number): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY
  for (let at = 0; at < seconds; at += 1) {
    const { openFiles } = await vitalsOf(pid)
    if (openFiles >= fewest) return
    fewest = openFiles
    await sleep(1000)
  }
}

/** A server in this process, so that its live objects can be counted without garbage. */
async function startHere() {
  const folder = await newFolder('in-process')
  const dataDir = join(folder, 'data')
  const paths = { dataDir, homeDir: folder, cwd: folder, agentPaths: [examples] }
  const server = await startServer({
    runtime: { ...paths, env: {}, modelSource: 'simulator', logger: silentLogger },
    host: '127.0.0.1',
    port: 0,
  })
  const token = (await readFile(join(dataDir, 'token'), 'utf8')).trim()
  return {
    url: server.url,
    token,
    client: createClient({ baseUrl: server.url, token }),
    listenerCount: () => server.runtime.engine.listenerCount(),
    close: server.close,
  }
}

function bytesInUse(): { readonly heap: number; readonly all: number } {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, all: heapUsed + external }
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024)
