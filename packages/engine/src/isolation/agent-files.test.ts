import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { stdioServer } from '../toolbox/testing/toolbox-harness.fixture.ts'
import { agentFiles } from './agent-files.ts'
import { probeIsolation } from './probe-isolation.ts'
import { spawnSandboxed } from './spawn-sandboxed.ts'

const path = '/usr/local/bin:/usr/bin:/bin'

function makeProject() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-files-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['project/tools', 'other', 'shared']) mkdirSync(join(root, name), { recursive: true })
  for (const name of ['project/agent.yaml', 'project/tools/one.mjs', 'other/agent.yaml'])
    writeFileSync(join(root, name), 'as it was')
  return { root, project: join(root, 'project') }
}

it('workspace.writable: names folders that processes may write to beside the working directory', async (test) => {
  const isolation = await probeIsolation()
  if (!isolation.hidesFiles) return test.skip('this machine has no namespaces')
  const { root, project } = makeProject()
  const workspace = { mode: 'shared' as const, writable: [join(root, 'shared')] }
  const agent = { ...testAgent(project), file: join(project, 'agent.yaml'), workspace }
  const locked = [join(project, 'tools'), join(project, 'config.yaml')]
  const files = agentFiles(agent, project, { path, lockedPaths: () => locked })
  const written = ['written', '../shared/written', '../other/agent.yaml', 'agent.yaml', 'tools/one.mjs', 'config.yaml']
  const args = [
    '-c',
    `for one in ${written.join(' ')}; do (echo changed > "$one") 2>/dev/null && echo "$one"; done; exit 0`,
  ]
  const sandbox = { dataDir: join(root, 'data'), home: join(root, 'data/home'), path, files, isolation }
  const child = spawnSandboxed({ command: 'sh', args, cwd: project, env: {} }, sandbox)
  expect((await text(child.output)).trim().split('\n')).toEqual(['written', '../shared/written'])
  expect(readFileSync(join(root, 'other/agent.yaml'), 'utf8')).toBe('as it was')
})

it('hides the environment files of other agents', () => {
  const { root, project } = makeProject()
  const other = join(root, 'other/.env')
  const agent = testAgent(project)
  expect(agentFiles(agent, project, { path, lockedPaths: () => [other] }).hidden).toContain(other)
})

it('does not start a process in a workspace that was replaced by a link', async (test) => {
  const isolation = await probeIsolation()
  if (!isolation.hidesFiles) return test.skip('this machine has no namespaces')
  const { root, project } = makeProject()
  const inner = join(root, 'shared/inner')
  mkdirSync(inner)
  const files = agentFiles(testAgent(project), inner, { path })
  renameSync(inner, join(root, 'shared/old'))
  symlinkSync(join(root, 'other'), inner)
  const sandbox = { dataDir: join(root, 'data'), home: join(root, 'data/home'), path, files, isolation }
  const start = () => spawnSandboxed({ command: 'true', args: [], cwd: project, env: {} }, sandbox)
  expect(start).toThrow(`${inner} now leads to ${join(root, 'other')}`)
})

it('shows the programs of MCP servers and hooks, with the packages they are installed in', () => {
  const { root, project } = makeProject()
  const server = join(root, 'other/node_modules/server/index.js')
  mkdirSync(dirname(server), { recursive: true })
  for (const file of [server, join(root, 'shared/hook.mjs')]) writeFileSync(file, '')
  const hook = ['../shared/hook.mjs']
  const script = { type: 'script' as const, command: 'node', args: hook, cwd: project, env: [], timeoutMs: 1 }
  const agent = testAgent(project, {
    tools: [stdioServer('server', [server])],
    hooks: [{ event: 'PreToolUse', matcher: null, action: script }],
  })
  const { visible } = agentFiles(agent, project, { path })
  expect(visible).toContain(join(root, 'other/node_modules'))
  expect(visible).toContain(join(root, 'shared'))
})

it('creates missing configuration files in folders that the agent can write to', () => {
  const { root, project } = makeProject()
  const agent = { ...testAgent(project), file: join(project, 'agent.yaml') }
  agentFiles(agent, project, { path, lockedPaths: () => [join(project, 'config.yaml'), join(root, 'config.yaml')] })
  expect(readFileSync(join(project, 'config.yaml'), 'utf8')).toMatch(/^#/)
  expect(readFileSync(join(project, '.env'), 'utf8')).toMatch(/^#/)
  expect(existsSync(join(root, 'config.yaml'))).toBe(false)
})
