import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { testAgent } from '../../testing/agent-definition.fixture.ts'
import { prepareWorkspace } from './prepare-workspace.ts'

const sessionId = 'ses_workspace1' as SessionId // a literal that matches the id's shape

async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-workspace-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('copies a folder that contains the data folder, without the data folder', async () => {
  const project = await newFolder()
  const dataDir = join(project, '.quarterdeck')
  await mkdir(join(project, 'src'))
  await mkdir(dataDir)
  await writeFile(join(project, 'src', 'a.txt'), 'a')
  await writeFile(join(dataDir, 'token'), 'secret')
  const cwd = await prepareWorkspace(testAgent(project, { workspace: { mode: 'copy' } }), {
    dataDir,
    sessionId,
    locked: [],
  })
  expect(await readFile(join(cwd, 'src', 'a.txt'), 'utf8')).toBe('a')
  expect(existsSync(join(cwd, '.quarterdeck'))).toBe(false)
})

it('copies neither environment files nor pipes, at any depth', async () => {
  const [project, dataDir] = [await newFolder(), await newFolder()]
  await mkdir(join(project, 'src'))
  for (const name of ['.env', 'src/.env', 'src/a.txt']) await writeFile(join(project, name), 'a')
  execFileSync('mkfifo', [join(project, 'src/pipe')])
  const agent = testAgent(project, { workspace: { mode: 'copy' } })
  const cwd = await prepareWorkspace(agent, { dataDir, sessionId, locked: [] })
  expect((await readdir(cwd, { recursive: true })).sort()).toEqual(['src', 'src/a.txt'])
})

it('refuses a working directory that was replaced by a link after the agent file was read', async () => {
  const [project, dataDir] = [await newFolder(), await newFolder()]
  const agent = testAgent(join(project, 'work'))
  await symlink(dataDir, join(project, 'work'))
  await expect(prepareWorkspace(agent, { dataDir, sessionId, locked: [] })).rejects.toThrow(`now leads to ${dataDir}`)
})

it('names the field to fix when the folder does not exist', async () => {
  const dataDir = await newFolder()
  const agent = testAgent(join(dataDir, 'gone'), { workspace: { mode: 'copy' } })
  await expect(prepareWorkspace(agent, { dataDir, sessionId, locked: [] })).rejects.toThrow(/working_directory/)
})
