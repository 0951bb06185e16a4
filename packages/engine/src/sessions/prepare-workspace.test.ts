import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { testAgent } from '../agent-definition.fixture.ts'
import { prepareWorkspace } from './prepare-workspace.ts'

const sessionId = 'ses_workspace1' as SessionId // a literal that matches the id's shape

async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'quarterdeck-workspace-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

it('copies a folder that holds the data folder itself, without it', async () => {
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

it('names the field to mend when the folder is not there', async () => {
  const dataDir = await newFolder()
  const agent = testAgent(join(dataDir, 'gone'), { workspace: { mode: 'copy' } })
  await expect(prepareWorkspace(agent, { dataDir, sessionId, locked: [] })).rejects.toThrow(/working_directory/)
})
