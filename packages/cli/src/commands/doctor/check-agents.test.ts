import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { checkAgents } from './check-agents.ts'

describe('an agent with a tool whose variable is not set', () => {
  it('cannot start; doctor prints the command to run and does not start its tools', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const tool = '{ type: mcp, name: notes, command: no-such-program, env: [NOBODY_SET_THIS] }'
    const text = `name: a\nmodel: { provider: simulator }\ninstructions: { inline: x }\ntools: [${tool}]\n`
    await writeFile(join(terminal.cwd, 'agent.yaml'), text)
    expect(await checkAgents(terminal, [terminal.cwd])).toEqual([
      {
        name: 'Agent a',
        verdict: 'fail',
        finding: expect.stringMatching(/^agent\.yaml:4:\d+ error: the environment has no NOBODY_SET_THIS/),
        fix: expect.stringMatching(/^node .*quarterdeck\.mjs validate .*agent\.yaml$/),
      },
    ])
  })
})
