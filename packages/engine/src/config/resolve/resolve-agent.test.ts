import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { minimalAgent, tempProject } from '../testing/temp-project.ts'

/** Loads an agent that lists this folder below the home folder. */
async function loadWith(name: string) {
  const project = await tempProject()
  const folder = join(project.options.homeDir, name)
  await mkdir(folder, { recursive: true })
  await project.write('agent.yaml', `${minimalAgent}workspace: {writable: [${JSON.stringify(folder)}]}\n`)
  return { folder, loaded: await project.load() }
}

it.each(['shared', 'shared/.cache'])('accepts the folder %s inside the home folder', async (name) => {
  const { folder, loaded } = await loadWith(name)
  expect(loaded.problems).toEqual([])
  expect(loaded.agent?.workspace.writable).toEqual([folder])
})

it.each([
  ['.ssh', 'hidden folder'],
  ['.config/app', 'hidden folder'],
  ['.quarterdeck/workspaces', 'data folder'],
])('refuses the folder %s of the home folder', async (name, why) => {
  const { folder, loaded } = await loadWith(name)
  expect(loaded.problems).toMatchObject([
    { severity: 'error', path: 'workspace.writable[0]', message: expect.stringContaining(why) },
  ])
  expect(loaded.problems[0]?.message).toContain(folder)
})

it('refuses a folder that does not exist, and says to create it', async () => {
  const project = await tempProject({ 'agent.yaml': `${minimalAgent}workspace: {writable: [missing]}\n` })
  expect((await project.load()).problems).toMatchObject([{ message: expect.stringContaining('create it first') }])
})
