// Time from starting the command to its first healthy answer, with a data folder that has sessions; and idle memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataFolders } from '@quarterdeck/engine'
import { alternate } from './alternate.mjs'
import { inFolder, minimalEnvironment } from './folders.mjs'
import { cpuMsOf, residentMib } from './process-tree.mjs'
import { seedSessions } from './seed-sessions.mjs'
import { median, range } from './statistics.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const command = join(root, 'packages', 'cli', 'bin', 'quarterdeck.mjs')
const bareServer = `require('http').createServer((q, r) => r.end('{}')).listen(process.argv[1], '127.0.0.1')`

/** @type {import('./figure.mjs').Measurement} */
export const ready = {
  title: 'Server ready',
  measure: ({ isQuick }) =>
    inFolder(async (folder) => {
      const dataDir = join(folder, 'data')
      const { database, databaseFolder } = dataFolders(dataDir)
      await mkdir(databaseFolder, { recursive: true })
      await seedSessions(database, 1000)
      const serve = ['serve', join(root, 'examples'), '--data', dataDir, '--no-open', '--port']
      const starts = await alternate(isQuick ? 3 : 7, {
        ours: () => start([command, ...serve], folder),
        theirs: () => start(['-e', bareServer], folder),
      })
      const readyMs = starts.ours.map((one) => one.readyMs)
      const common = { against: 'bare Node server', better: /** @type {const} */ ('lower') }
      return [
        {
          ...common,
          name: 'start to /health, 1,000 sessions in the folder',
          unit: 'ms',
          ours: median(readyMs),
          theirs: median(starts.theirs.map((one) => one.readyMs)),
          goal: '≤ 1,000 ms',
          note: `${range(readyMs)} ms`,
        },
        {
          ...common,
          name: '  of which work: CPU until then',
          unit: 'ms',
          ours: median(starts.ours.map((one) => one.cpuMs)),
          theirs: median(starts.theirs.map((one) => one.cpuMs)),
          note: 'the part that remains on a busy machine',
        },
        {
          ...common,
          name: 'resident memory when idle',
          unit: 'MiB',
          ours: median(starts.ours.map((one) => one.residentMib)),
          theirs: median(starts.theirs.map((one) => one.residentMib)),
          goal: '≤ 150 MiB',
        },
      ]
    }),
}

/**
 * @param {readonly string[]} args the port is added
 * @param {string} home
 */
async function start(args, home) {
  const port = await freePort()
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...args, String(port)], {
    cwd: home,
    env: minimalEnvironment(home),
    stdio: 'ignore',
  })
  const gone = once(child, 'exit')
  try {
    while (!(await answers(`http://127.0.0.1:${port}/health`))) {
      if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const readyMs = performance.now() - startedAt
    const cpuMs = await cpuMsOf(child.pid ?? 0)
    await new Promise((resolve) => setTimeout(resolve, 1000)) // Wait until the server is idle.
    return { readyMs, cpuMs, residentMib: await residentMib(child.pid ?? 0) }
  } finally {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await gone
    clearTimeout(timer)
  }
}

/** @param {string} url */
async function answers(url) {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } })
    await response.text()
    return response.ok
  } catch {
    // The server does not listen yet.
    return false
  }
}

/** A free port for the command. If another process takes it meanwhile, the wait fails. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
