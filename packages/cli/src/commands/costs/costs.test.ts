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
