import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { writeRecord } from '../../../isolation/process-record.ts'
import { killTree } from '../../../isolation/process-tree.ts'
import { identify, isRunning, processesWith } from '../../../system/linux-processes.ts'
import { reapOrphans } from './reap-orphans.ts'

const started: (() => unknown)[] = []
afterEach(async () => {
  for (const end of started.splice(0)) await end()
})

function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-reap-'))
  started.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const deadOwner = { pid: 2 ** 22 + 1, startTime: '1' }

/** The processes of the tree that lead their own session. */
const leaders = (marker: string) =>
  processesWith('QUARTERDECK_PROCESS', marker).filter(({ pid }) => {
    const [, , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return session === String(pid)
  })

/** A process with a child in its own session, like the shells of the CLI. */
async function startTree(marker: string) {
  const child = spawn('/bin/sh', ['-c', 'setsid sleep 1000 & sleep 1000'], {
    env: { PATH: '/usr/bin:/bin', QUARTERDECK_PROCESS: marker },
    stdio: 'ignore',
  })
  await vi.waitUntil(() => child.pid !== undefined && identify(child.pid).startTime !== null)
  const tree = identify(child.pid ?? 0)
  started.push(() => killTree(tree, marker))
  return tree
}

describe('reapOrphans', () => {
  it('does nothing in a folder without process records', async () => {
    expect(await reapOrphans(dataFolder())).toBe(0)
  })

  it('kills the process tree of a dead server', async () => {
    const dataDir = dataFolder()
    const tree = await startTree('mark-dead')
    writeRecord(dataDir, { process: tree, owner: deadOwner, marker: 'mark-dead' })
    await vi.waitUntil(() => leaders('mark-dead').length === 1, { timeout: 60_000, interval: 20 })
    const apart = leaders('mark-dead')
    expect(await reapOrphans(dataDir)).toBeGreaterThanOrEqual(2)
    expect([tree, ...apart].filter(isRunning)).toEqual([])
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
  })

  it('ignores the processes of a running server', async () => {
    const dataDir = dataFolder()
    const tree = await startTree('mark-alive')
    writeRecord(dataDir, { process: tree, owner: identify(process.pid), marker: 'mark-alive' })
    expect(await reapOrphans(dataDir)).toBe(0)
    expect(isRunning(tree)).toBe(true)
  })

  it('does not kill an unrelated process that reuses the pid', async () => {
    const dataDir = dataFolder()
    const stranger = await startTree('mark-stranger')
    const old = { pid: stranger.pid, startTime: '1' }
    writeRecord(dataDir, { process: old, owner: deadOwner, marker: 'mark-of-the-old-one' })
    expect(await reapOrphans(dataDir)).toBe(0)
    expect(isRunning(stranger)).toBe(true)
  })

  it('removes a record that a crash left half-written', async () => {
    const dataDir = dataFolder()
    mkdirSync(join(dataDir, 'processes'))
    writeFileSync(join(dataDir, 'processes', 'half.json'), '{"process":{"pi')
    expect(await reapOrphans(dataDir)).toBe(0)
    expect(readdirSync(join(dataDir, 'processes'))).toEqual([])
  })

  it('removes only the scratch folders of processes that have exited', async () => {
    const dataDir = dataFolder()
    const scratch = join(dataDir, 'claude', 'scratch')
    const tree = await startTree('mark-living')
    writeRecord(dataDir, { process: tree, owner: identify(process.pid), marker: 'mark-living' })
    const longAgo = new Date(Date.now() - 600_000)
    for (const name of ['mark-liv', 'leftover', 'justmade']) {
      mkdirSync(join(scratch, name), { recursive: true })
      writeFileSync(join(scratch, name, 'socket'), '')
      if (name !== 'justmade') utimesSync(join(scratch, name), longAgo, longAgo)
    }
    symlinkSync(dataDir, join(scratch, 'a-link'))
    await reapOrphans(dataDir)
    expect(readdirSync(scratch).sort()).toEqual(['a-link', 'justmade', 'mark-liv'])
    expect(readdirSync(join(dataDir, 'processes'))).toHaveLength(1)
  })
})
