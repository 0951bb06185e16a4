import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { acquireBuildLock } from './build-lock.mjs'

async function lockPath(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-lock-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'lock')
}

const lock = (path: string) => acquireBuildLock(path, () => undefined)

it('is held by one builder at a time, even when many find a dead builder at once', async () => {
  const { pid } = spawnSync(process.execPath, ['--eval', ''])
  let holders = 0
  let most = 0
  async function takeTurn(path: string): Promise<void> {
    const release = await lock(path)
    holders += 1
    most = Math.max(most, holders)
    await sleep(20)
    holders -= 1
    await release()
  }
  for (let round = 0; round < 5; round += 1) {
    const path = await lockPath()
    await mkdir(path)
    await writeFile(join(path, `${pid}.dead`), '')
    await Promise.all(Array.from({ length: 6 }, () => takeTurn(path)))
  }
  expect(most).toBe(1)
})

it('waits for a live builder and says so once', async () => {
  const path = await lockPath()
  const release = await lock(path)
  const lines: string[] = []
  let isHeld = true
  const second = acquireBuildLock(path, (line) => lines.push(line)).then((give) => {
    expect(isHeld).toBe(false)
    return give()
  })
  await expect.poll(() => lines).toHaveLength(1)
  await sleep(250)
  isHeld = false
  await release()
  await second
  expect(lines).toEqual(['waiting for another build of this checkout …'])
})

it('removes its folder and leaves nothing else behind', async () => {
  const path = await lockPath()
  await (await lock(path))()
  expect(await readdir(join(path, '..'))).toEqual(['lock'])
  expect(await readdir(path)).toEqual([])
})
