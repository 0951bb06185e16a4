import { expect, it } from 'vitest'
import { agentText, key, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestServer } from '../../connect/test-server.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { run } from '../run/run.ts'
import { costs } from './costs.ts'

const loopAgent = `name: tester
model: { provider: anthropic, name: high }
backend: loop
instructions: { inline: Be brief. }
`

const used = { type: 'usage', input: 1000, output: 100, costUsd: 0.5 } as const

it('names the columns of several groups, and the groups there are', async () => {
  const { terminal, stdout } = await openTestTerminal({ piped: '', env: key })
  const agent = await writeAgent(terminal.cwd, loopAgent)
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
  const agent = await writeAgent(cwd, loopAgent)
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

  const charged = await writeAgent(cwd, loopAgent.replace('backend: loop', 'gateway: off'))
  await run(terminal, { agent: charged, message: 'hello', flags: {} }, scripted([[used, say('one')]]))
  expect(await shown(false)).toMatch(
    /\n\$0\.\d+ of it \(1 of 2 requests\) comes from the local simulator: it was not charged/,
  )
})

it('adds up costs, and says so when there are none', async () => {
  const testServer = await openTestServer(
    [[used, say('one')]],
    `${agentText.replace('simulator', 'anthropic')}gateway: off\n`,
  )
  const empty = await testServer.openTerminal()
  await costs(empty.terminal, {})
  expect(empty.stdout()).toContain('no costs yet')
  await expect(costs(empty.terminal, { by: 'moon' })).rejects.toMatchObject({ code: 'request.invalid' })
  for (const flag of ['from', 'to'])
    await expect(costs(empty.terminal, { [flag]: 'yesterday' })).rejects.toThrow(
      `--${flag}: must be a day (2026-01-31) or a time in UTC (2026-01-31T08:00:00Z)`,
    )
  const { sessionId } = await testServer.create('go')
  await testServer.reaches(sessionId, 'idle')
  const { terminal, stdout } = await testServer.openTerminal()
  expect(await costs(terminal, { by: 'agent,user' })).toBe(0)
  expect(stdout()).toMatch(
    /^agent +user +requests +in +cache read +cache write +out +units +cost +saved\ntester +operator +1 +1,?000 +0 +0 +100 /,
  )
  expect(stdout()).toMatch(/\ntotal +1 /)
  const turned = await testServer.openTerminal()
  await costs(turned.terminal, { by: 'user,agent' })
  expect(turned.stdout()).toMatch(/^user +agent [\s\S]*\noperator +tester /)
  const filtered = await testServer.openTerminal()
  await costs(filtered.terminal, { agent: 'nobody', from: '2020-01-01' })
  expect(filtered.stdout()).toBe('no costs for --from 2020-01-01 --agent nobody\n')
})

it('prints what was saved against the high model, and what was spent in addition', async () => {
  for (const [tier, saved] of [
    ['low', /\ntotal .* \$0\.\d+ +\$0\.\d+\n$/],
    ['pro', /\ntotal .* \$0\.\d+ +-\$0\.\d+\n$/],
  ] as const) {
    const agent = agentText.replace('simulator, name: high', `anthropic, name: ${tier}`)
    const testServer = await openTestServer([[used, say('one')]], `${agent}gateway: off\n`)
    const { sessionId } = await testServer.create('go')
    await testServer.reaches(sessionId, 'idle')
    const { terminal, stdout } = await testServer.openTerminal()
    await costs(terminal, {})
    expect(stdout()).toMatch(saved)
  }
})
