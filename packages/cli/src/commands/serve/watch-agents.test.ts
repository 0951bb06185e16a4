import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAgentRegistry } from '@quarterdeck/engine'
import { expect, it, onTestFinished } from 'vitest'
import { createServerLogger } from '../../terminal/command-logger.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { watchAgents } from './watch-agents.ts'

const agent = (more = '') => `name: clerk
model: { provider: simulator }
instructions: { file: prompt.md }
${more}`

it('reports a saved agent file, or a file it reads, as reloaded, as broken with its position, or with a hook that never runs', async () => {
  const { terminal, stderr } = await openTestTerminal()
  const { cwd, homeDir } = terminal
  await mkdir(homeDir)
  let saved = Date.now()
  const save = async (name: string, text: string) => {
    await writeFile(join(cwd, name), text)
    // A file saved within the resolution of the clock would look unchanged.
    saved += 2_000
    await utimes(join(cwd, name), new Date(saved), new Date(saved))
  }
  await save('agent.yaml', agent())
  await save('prompt.md', 'Be brief.')
  const agents = createAgentRegistry({ paths: [cwd], env: {}, homeDir, cwd })
  const logger = createServerLogger(terminal, { format: 'text', isVerbose: false })
  const watching = await watchAgents({ agents, logger, cwd, checkEveryMs: 20 })
  onTestFinished(watching.stop)
  const loggedMessages = () =>
    stderr()
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [line.slice('00:00:00 '.length).trimEnd()]))
  expect(loggedMessages()).toEqual([])

  await save('agent.yaml', agent('descripton: slip\n'))
  const broken = 'warn: clerk cannot start: agent.yaml:4:1 error: unknown key "descripton". Did you mean "description"?'
  await expect.poll(loggedMessages).toEqual([broken])
  await save('agent.yaml', agent())
  await expect.poll(loggedMessages).toEqual([broken, 'reloaded clerk'])
  await save('prompt.md', 'Be briefer.')
  await expect.poll(loggedMessages).toEqual([broken, 'reloaded clerk', 'reloaded clerk'])
  await save('agent.yaml', agent('hooks: [{ event: PreToolUse, matcher: Bsh, action: reject, message: no }]\n'))
  await expect.poll(() => loggedMessages().at(-1)).toContain('agent.yaml:4:')
  expect(loggedMessages().at(-1)).toContain('the hook never runs')
})
