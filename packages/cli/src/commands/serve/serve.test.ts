import { describe, expect, it } from 'vitest'
import { agentText, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { listedOrigins, serve } from './serve.ts'

it('joins the origins of the command line and of CORS_ORIGINS', () => {
  const env = { CORS_ORIGINS: ' https://b.example, ,https://c.example,' }
  expect(listedOrigins(['https://a.example'], env)).toEqual([
    ...['https://a.example', 'https://b.example', 'https://c.example'],
  ])
  expect(listedOrigins(undefined, {})).toEqual([])
})

describe('quarterdeck serve', () => {
  const startedWith = async (agent: string) => {
    const { terminal, stdout, signal } = await openTestTerminal({
      piped: '',
      env: { ANTHROPIC_API_KEY: 'made-up-for-tests' },
    })
    await writeAgent(terminal.cwd, agent)
    const serving = serve(terminal, { paths: [], flags: { port: 0, host: '127.0.0.1', open: false, graceSeconds: 0 } })
    await expect.poll(stdout).toContain(`Ctrl-C stops.\nprocess id ${process.pid}\n`)
    signal()
    expect(await serving).toBe(0)
    return stdout()
  }

  it('prints the rate tier when a provider answers and the tier is not configured', async () => {
    expect(await startedWith(agentText.replace('simulator', 'anthropic'))).toMatch(
      /^requests are limited to rate tier 1 /m,
    )
    expect(await startedWith(agentText)).not.toContain('rate tier')
  })
})
