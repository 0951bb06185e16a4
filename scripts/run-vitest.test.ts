import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { countTests, runVitest } from './run-vitest.mjs'

const repository = fileURLToPath(new URL('..', import.meta.url))
const folders: string[] = []

afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))))

it('counts passed and failed tests', async () => {
  const counts = await countsOf({
    'good.test.mjs': `it('holds', () => {}); it('also holds', () => {})`,
    'bad.test.mjs': `it('holds', () => {}); it('does not', () => expect(1).toBe(2))`,
  })
  expect(counts).toMatchObject({ passed: 3, failed: 1, output: expect.stringContaining('does not') })
})

it('counts a file that does not import as a failure', async () => {
  const counts = await countsOf({
    'good.test.mjs': `it('holds', () => {})`,
    'broken.test.mjs': `import './missing.mjs'; it('never runs', () => {})`,
  })
  expect(counts).toMatchObject({ passed: 1, failed: 1 })
})

it('counts an unhandled rejection as a failure although every test passed', async () => {
  const counts = await countsOf({ 'good.test.mjs': `it('holds', () => void Promise.reject(new Error('unseen')))` })
  expect(counts).toMatchObject({ passed: 1, failed: 1, output: expect.stringContaining('unseen') })
})

it('names a skipped test, and counts it neither as passed nor as failed', async () => {
  const counts = await countsOf({ 'good.test.mjs': `it('holds', () => {}); it.skip('later', () => {})` })
  expect(counts).toMatchObject({ passed: 1, failed: 0, skipped: ['good.test.mjs: later'] })
})

it('counts a run without tests as a failure', async () => {
  expect(await countsOf({})).toMatchObject({ passed: 0, failed: 1 })
})

it('counts a run that ended before its report as a failure', () => {
  expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: [] })
})

async function countsOf(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'quarterdeck-suite-'))
  folders.push(folder)
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const config = 'export default { cacheDir: "cache", test: { globals: true, include: ["*.test.mjs"] } }'
  for (const [name, text] of Object.entries({ ...files, 'vitest.config.mjs': config })) {
    await writeFile(join(folder, name), `${text}\n`)
  }
  return runVitest(folder, [])
}
