import { modelCatalog } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { chat } from '../commands/chat.ts'
import { agentText, type Script, say, scripted, writeAgent } from '../scripted-agent.fixture.ts'
import { openTestTerminal } from '../terminal.fixture.ts'

/** What these lines bring to the screen in a conversation of their own. */
async function type(lines: readonly string[], script: Script = [], text = agentText) {
  const env = { ANTHROPIC_API_KEY: 'made-up-key-for-tests-only' }
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: `${lines.join('\n')}\n`, env })
  const code = await chat(terminal, { agent: await writeAgent(terminal.cwd, text), flags: {} }, scripted(script))
  return { code, stdout: stdout(), told: stderr() }
}

const spending = { type: 'usage', input: 1200, output: 34, costUsd: 0.5 } as const

describe('the commands inside a conversation', () => {
  it('/help names every one of them', async () => {
    const { told } = await type(['/help'])
    for (const name of ['/help', '/model', '/cost', '/quit']) expect(told).toContain(name)
  })

  it('/model shows the one in use and all to choose from', async () => {
    const { told } = await type(['/model'])
    expect(told).toMatch(/now: simulator \(as claude-sonnet/)
    for (const { id } of modelCatalog) expect(told).toContain(`  ${id}`)
    expect(told).toContain('\n  auto ')
  })

  it('/model NAME changes it for the next turn', async () => {
    const { told, stdout } = await type(['/model low', 'hello'], [[say('Hi.')]])
    expect(told).toMatch(/\nmodel: simulator \(as claude-haiku/)
    expect(stdout).toMatch(/claude-haiku.* in, .* out/)
  })

  it('/model with a misspelled name suggests the right one and changes nothing', async () => {
    const { code, told } = await type(['/model claude-opsu-4-6', '/model'])
    expect(code).toBe(0)
    expect(told).toContain('there is no model "claude-opsu-4-6". Did you mean "claude-opus-4-6"?')
    expect(told).toMatch(/now: simulator \(as claude-sonnet/)
  })

  it('/model with a name that the catalog does not have changes it and warns', async () => {
    const { told } = await type(['/model claude-sonnet-9'])
    expect(told).toContain('model: simulator (as claude-sonnet-9)')
    expect(told).toContain('warning: the price of model "claude-sonnet-9" is unknown')
  })

  it('/model with what can be no name says so, and the conversation goes on', async () => {
    const { code, told, stdout } = await type([`/model ${'x'.repeat(201)}`, 'hello'], [[say('Hi.')]])
    expect(code).toBe(0)
    expect(told).toMatch(/\nmodel: .*200 characters\n/)
    expect(stdout).toContain('Hi.')
  })

  it('/cost shows what was used, and the limit', async () => {
    // Behind the gateway a backend's own figures are not booked, and a script asks the gateway for nothing.
    const ownFigures = `${agentText.replace('simulator', 'anthropic')}gateway: off\n`
    const { told } = await type(['/cost', 'hello', '/cost'], [[spending, say('Hi.')]], ownFigures)
    expect(told).toMatch(/\n0 in, 0 from cache, 0 to cache, 0 out · \$0\S* of \$2/)
    expect(told).toMatch(/\n1,200 in, 0 from cache, 0 to cache, 34 out · \$\S+ of \$2/)
  })

  it.each(['/quit', '/exit'])('%s leaves', async (name) => {
    expect((await type([name, 'hello'])).stdout).toBe('')
  })

  it('anything else is not sent to the agent', async () => {
    const { told, stdout } = await type(['/quti', '/'])
    expect(told).toContain('/quti is not a command; /help lists them')
    expect(told).toContain('/ is not a command')
    expect(stdout).toBe('')
  })
})
