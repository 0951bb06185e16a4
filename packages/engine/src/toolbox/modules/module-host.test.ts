import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { AgentFiles } from '../../isolation/agent-files.ts'
import { installation } from '../../isolation/installation.ts'
import { probeIsolation } from '../../isolation/probe-isolation.ts'
import { silentLogger } from '../../ports/logger.ts'
import { shellPath } from '../testing/toolbox-harness.fixture.ts'
import { createModuleHost, type ModuleHostOptions } from './module-host.ts'

async function openHost(files: Readonly<Record<string, string>>, change: Partial<ModuleHostOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-module-host-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const project = join(root, 'project')
  mkdirSync(project)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text)
  const sandboxCommand = { dataDir: join(root, 'data'), home: join(root, 'home'), path: shellPath }
  const seen: AgentFiles = { writable: [project], locked: [], hidden: [], visible: installation }
  const workerOptions = {
    ...sandboxCommand,
    files: seen,
    project,
    cwd: project,
    env: {},
    isolation: await probeIsolation(),
  }
  const host = createModuleHost({
    agentName: 'clerk',
    workerOptions,
    isWatching: false,
    redact: (text) => text,
    logger: silentLogger,
    ...change,
  })
  onTestFinished(host.close)
  return { project, host }
}

it('gives a loaded module to the next session, even while a function blocks the process', async () => {
  const { project, host } = await openHost({ 'lookup.mjs': 'export const spin = () => { for (;;); }' })
  const file = join(project, 'lookup.mjs')
  const spin = { file, name: 'spin' }
  expect(await host.load(spin)).toBeNull()
  const context = { sessionId: 'one', cwd: project }
  const call = { export: spin, input: {}, context, checksInput: false, timeoutMs: 600_000 }
  const spinning = host.call(call, new AbortController().signal).catch(String)
  expect(await host.load(spin)).toBeNull()
  await host.close()
  expect(await spinning).toContain('the server is stopping')
})

it('reports a module that cannot be parsed with file, line and column, whatever its kind or importer', async () => {
  const { project, host } = await openHost({
    'package.json': '{"type": "module"}',
    'broken.mjs': 'export const a = 1\nexport const f = () => {\n  return 1 +\n}\n',
    'typed.js': "import './fine.mjs'\nexport const f = (word: string) => word\n",
    'twice.ts': 'export const f = (a: number) => {\n  let b = a\n  let b = 2\n}\n',
    'fine.mjs': 'export const g = 1\n',
    'deep.mjs': "import './fine.mjs'\nimport './typed.js'\nexport const f = () => 1\n",
  })
  const why = (name: string) =>
    host.load({ file: join(project, name), name: 'f' }).catch((error: Error) => error.message)
  expect(await why('broken.mjs')).toBe("SyntaxError: broken.mjs:4:1: Unexpected token '}'")
  expect(await why('typed.js')).toBe("SyntaxError: typed.js:2:23: Unexpected token ':'")
  expect(await why('twice.ts')).toBe("SyntaxError: twice.ts:3:7: Identifier 'b' has already been declared")
  expect(await why('deep.mjs')).toBe("SyntaxError: typed.js:2:23: Unexpected token ':'")
})

it('reports once that a watched module was reloaded, or where it is broken', async () => {
  const logged: string[] = []
  const keep = (facts: object, message: string) =>
    void logged.push([message, ...Object.values(facts).map(String)].join(': '))
  const logger = { ...silentLogger, info: keep, warn: keep }
  const { project, host } = await openHost({ 'lookup.mjs': 'export const a = () => 1' }, { isWatching: true, logger })
  const file = join(project, 'lookup.mjs')
  const load = async () => void (await host.load({ file, name: 'a' }))
  await load()
  host.onReload(load)
  host.onReload(load)
  const save = (text: string, at: number) => {
    writeFileSync(file, text)
    utimesSync(file, new Date(at), new Date(at))
  }
  save('export const a = () => {\n  return 1 +\n}\n', Date.now() + 5_000)
  const broken = 'a module of clerk that was just saved cannot be loaded'
  await expect.poll(() => logged).toEqual([expect.stringMatching(`^${broken}: SyntaxError: lookup.mjs:3:`)])
  save('export const a = () => 2', Date.now() + 10_000)
  await expect.poll(() => logged.slice(1)).toEqual(['reloaded the functions of clerk'])
})
