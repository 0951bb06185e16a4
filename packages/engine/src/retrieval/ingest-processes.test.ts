// Cases that need real processes: several reading the same documents at once, and one that is killed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createSqlPassages } from './sql/create-sql-passages.ts'
import { openDocumentFolder } from './testing/document-folder.fixture.ts'

const fixture = fileURLToPath(new URL('./testing/ingest-process.mjs', import.meta.url))
const root = fileURLToPath(new URL('../../../..', import.meta.url))

beforeAll(() => {
  // Brings the build up to date; type errors elsewhere are left to the type check.
  spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/engine'], { cwd: root })
})

const rows = 4000
const table = `id,name\n${Array.from({ length: rows }, (_, row) => `${row},oar`).join('\n')}\n`
const files = ['a', 'b', 'c', 'd']

async function openHarness() {
  const folder = await openDocumentFolder(Object.fromEntries(files.map((name) => [`${name}.csv`, table])))
  const file = join(folder.dataDir, 'kb.db')

  function start(...more: string[]) {
    const given = [fixture, folder.project, file, ...more]
    const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => kill(child))
    const lines: AsyncIterable<string> = createInterface({ input: child.stdout })
    return { child, lines }
  }

  function checkStored() {
    const store = createSqlPassages(file, { now: () => new Date() })
    onTestFinished(() => store.close())
    expect(store.files().map(({ path }) => path)).toEqual(files.map((name) => `docs/${name}.csv`))
    expect(store.countPassages()).toBe(rows * files.length)
    expect(store.matchingWords(['oar'], 2 * rows * files.length)).toHaveLength(rows * files.length)
    expect(store.isComplete()).toBe(true)
    expect(store.hasLeftovers()).toBe(false)
  }

  return { start, checkStored }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function wordOf({ lines }: { lines: AsyncIterable<string> }) {
  for await (const line of lines) return JSON.parse(line)
  throw new Error('the process ended without a word')
}

describe('processes that read the same documents at once', () => {
  it('read each document once and all find everything', async () => {
    const { start, checkStored } = await openHarness()
    const reports = await Promise.all([start(), start(), start()].map(wordOf))
    expect(reports.map(({ passages }) => passages)).toEqual(Array(3).fill(rows * files.length))
    expect(reports.map(({ changed }) => changed).sort()).toEqual([0, 0, files.length])
    checkStored()
  })

  it('continue where a killed process stopped', async () => {
    const { start, checkStored } = await openHarness()
    // In the middle of the second file: 500 passages are a batch.
    const first = start(String(1.5 * (rows / 500)))
    expect(await wordOf(first)).toBe('stands still')
    const next = wordOf(start())
    await kill(first.child)
    expect(await next).toMatchObject({ changed: files.length - 1, embedded: rows * (files.length - 1) })
    checkStored()
  })
})
