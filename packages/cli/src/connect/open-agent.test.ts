import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { agentFile } from './open-agent.ts'

it('openAgent refuses a folder without agent.yaml and names the agents in it', async () => {
  const { terminal } = await openTestTerminal({ piped: '' })
  const folder = join(terminal.cwd, 'team')
  await mkdir(folder)
  expect(() => agentFile(terminal, 'team')).toThrow(/^team: no agent\.yaml in this folder$/)
  for (const name of ['b.agent.yaml', 'a.agent.yml', 'agent.yml', 'notes.yaml']) await writeFile(join(folder, name), '')
  expect(() => agentFile(terminal, 'team')).toThrow(
    'no agent.yaml in this folder. Name the one you mean: team/a.agent.yml, team/agent.yml, team/b.agent.yaml',
  )
  await writeFile(join(folder, 'agent.yaml'), '')
  expect(agentFile(terminal, 'team')).toBe(join(folder, 'agent.yaml'))
})
