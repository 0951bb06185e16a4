import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { killTree } from '../../../isolation/process-tree.ts'
import { silentLogger } from '../../../ports/logger.ts'
import { processesWith } from '../../../system/linux-processes.ts'
import { bareIsolation } from '../testing/bare-isolation.fixture.ts'
import { type CliProcessOptions, spawnCli } from './spawn-cli.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const patient = { timeout: 60_000, interval: 20 }
const running = (marker: string) => processesWith('QUARTERDECK_PROCESS', marker)

function cliOptions(marker: string) {
  const root = mkdtempSync(join(tmpdir(), 'quarterdeck-spawn-'))
  cleanups.push(() => rmSync(root, { recursive: true, force: true }))
  cleanups.push(async () => {
    for (const one of running(marker)) await killTree(one, marker)
  })
  const dataDir = join(root, 'data')
  const scratch = join(root, 'scratch')
  mkdirSync(scratch)
  const warned: string[] = []
  const logger = { ...silentLogger, warn: (_facts: object, message: string) => warned.push(message) }
  const view = { cwd: root, writable: [], locked: [], hidden: [], visible: [], tmp: scratch }
  const tools = { setpriv: null, unshare: null, mount: null, mkdir: null, ln: null, stat: null, shell: null }
  return { dataDir, marker, scratch, isolation: bareIsolation, tools, view, logger, warned }
}

const spawnSleep = (cli: CliProcessOptions) =>
  spawnCli(
    {
      command: 'sleep',
      args: ['1000'],
      cwd: cli.view.cwd,
      env: { PATH: '/usr/bin:/bin', QUARTERDECK_PROCESS: cli.marker },
      signal: new AbortController().signal,
    },
    cli,
  )

it('starts the process outside the server’s process group, so that Ctrl-C does not reach it', async () => {
  const cli = cliOptions(`mark-group-${process.pid}`)
  const { self, kill } = spawnSleep(cli)
  expect(groupOf(self?.pid ?? 0)).toBe(self?.pid)
  await kill()
})

it('kills a process whose record cannot be written', async () => {
  const cli = cliOptions(`mark-unnoted-${process.pid}`)
  writeFileSync(cli.dataDir, 'a file where a folder should be')
  expect(() => spawnSleep(cli)).toThrow('ENOTDIR')
  await vi.waitUntil(() => running(cli.marker).length === 0, patient)
  await vi.waitUntil(() => !existsSync(cli.scratch), patient)
})

it('warns and continues when the record of an ended process cannot be removed', async () => {
  const cli = cliOptions(`mark-kept-${process.pid}`)
  const { spawned, exited, kill } = spawnSleep(cli)
  const note = join(cli.dataDir, 'processes', `${cli.marker}.json`)
  rmSync(note)
  mkdirSync(note)
  spawned.kill('SIGKILL')
  await exited
  await vi.waitUntil(() => cli.warned.length === 1, patient)
  await kill()
  expect(cli.warned).toEqual(Array(2).fill('cannot remove the record of an agent process that has ended'))
})

/** The process name, which ends at the last parenthesis, may contain any character. */
const groupOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}
