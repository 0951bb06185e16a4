import { expect, it } from 'vitest'
import { key, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { run } from '../run/run.ts'
import { costs } from './costs.ts'

const agentText = `name: tester
model: { provider: anthropic, name: high }
backend: loop
instructions: { inline: Be brief. }
`

it('names the columns of several groups, and the groups there are', async () => {
  const { terminal, stdout } = await openTestTerminal({ piped: '', env: key })
  const agent = await writeAgent(terminal.cwd, agentText)
  await run(terminal, { agent, message: 'hello', flags: { modelSource: 'simulator' } })
  const answer = stdout()
  await costs(terminal, { by: 'agent,day' })
  const [head = '', row = '', total = ''] = stdout().slice(answer.length).split('\n')
  expect(head).toMatch(/^agent {3}day {9}requests {2}in /)
  expect(row).toMatch(/^tester {2}\d{4}-\d\d-\d\d {9}1 /)
  expect(total).toMatch(/^total {22}1 /)
  await expect(costs(terminal, { by: 'nothing' })).rejects.toThrow(
    '--by: must be one or more of day, model, agent, user, key, session, separated by commas',
  )
})

it('marks simulated requests as not charged, with their amount', async () => {
  const { terminal } = await openTestTerminal({ piped: '', env: key })
  const { cwd } = terminal
  const agent = await writeAgent(cwd, agentText)
  await run(terminal, { agent, message: 'hello', flags: { modelSource: 'simulator' } })
  const shown = async (json: boolean) => {
    const screen = await openTestTerminal({ piped: '', cwd })
    await costs(screen.terminal, { json })
    return screen.stdout()
  }
  expect(await shown(false)).toMatch(/\ntotal +1 .*\nall of it comes from the local simulator: it was not charged/)
  const { rows, total } = JSON.parse(await shown(true))
  expect(total).toMatchObject({ requests: 1, simulatedRequests: 1, simulatedUsd: total.costUsd })
  expect(total.simulatedUsd).toBeGreaterThan(0)
  expect(rows).toMatchObject([{ simulatedRequests: 1 }])

  const used = { type: 'usage', input: 1000, output: 100, costUsd: 0.5 } as const
  const charged = await writeAgent(cwd, agentText.replace('backend: loop', 'gateway: off'))
  await run(terminal, { agent: charged, message: 'hello', flags: {} }, scripted([[used, say('one')]]))
  expect(await shown(false)).toMatch(
    /\n\$0\.\d+ of it \(1 of 2 requests\) comes from the local simulator: it was not charged/,
  )
})
