import { modelCatalog } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { agentText, type Script, say, scripted, writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { chat } from './chat.ts'

/** The screen output of these lines in a new conversation. */
async function type(lines: readonly string[], script: Script = [], text = agentText) {
  const env = { ANTHROPIC_API_KEY: 'made-up-key-for-tests-only' }
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: `${lines.join('\n')}\n`, env })
  const code = await chat(terminal, { agent: await writeAgent(terminal.cwd, text), flags: {} }, scripted(script))
  return { code, stdout: stdout(), remarks: stderr() }
}

const spending = { type: 'usage', input: 1200, output: 34, costUsd: 0.5 } as const

describe('slash commands', () => {
  it('/help lists every command', async () => {
    const { remarks } = await type(['/help'])
    for (const name of ['/help', '/model', '/cost', '/quit']) expect(remarks).toContain(name)
  })

  it('/model shows the current model and the available ones', async () => {
    const { remarks } = await type(['/model'])
    expect(remarks).toMatch(/now: simulator \(as claude-sonnet/)
    for (const { id } of modelCatalog) expect(remarks).toContain(`  ${id}`)
    expect(remarks).toContain('\n  auto ')
  })

  it('/model NAME changes the model for the next turn', async () => {
    const { remarks, stdout } = await type(['/model low', 'hello'], [[say('Hi.')]])
    expect(remarks).toMatch(/\nmodel: simulator \(as claude-haiku/)
    expect(stdout).toMatch(/claude-haiku.* in, .* out/)
  })

  it('/model with a misspelled name suggests the right one and changes nothing', async () => {
    const { code, remarks } = await type(['/model claude-opsu-4-6', '/model'])
    expect(code).toBe(0)
    expect(remarks).toContain('there is no model "claude-opsu-4-6". Did you mean "claude-opus-4-6"?')
    expect(remarks).toMatch(/now: simulator \(as claude-sonnet/)
  })

  it('/model with a name outside the catalog changes the model and warns', async () => {
    const { remarks } = await type(['/model claude-sonnet-9'])
    expect(remarks).toContain('model: simulator (as claude-sonnet-9)')
    expect(remarks).toContain('warning: the price of model "claude-sonnet-9" is unknown')
  })

  it('/model with an invalid name prints an error and the conversation continues', async () => {
    const { code, remarks, stdout } = await type([`/model ${'x'.repeat(201)}`, 'hello'], [[say('Hi.')]])
    expect(code).toBe(0)
    expect(remarks).toMatch(/\nmodel: .*200 characters\n/)
    expect(stdout).toContain('Hi.')
  })

  it('/cost shows usage and the limit', async () => {
    // Behind the gateway the figures of a backend are not booked, and a script sends no requests to the gateway.
    const ownFigures = `${agentText.replace('simulator', 'anthropic')}gateway: off\n`
    const { remarks } = await type(['/cost', 'hello', '/cost'], [[spending, say('Hi.')]], ownFigures)
    expect(remarks).toMatch(/\n0 in, 0 from cache, 0 to cache, 0 out · \$0\S* of \$2/)
    expect(remarks).toMatch(/\n1,200 in, 0 from cache, 0 to cache, 34 out · \$\S+ of \$2/)
  })

  it.each(['/quit', '/exit'])('%s leaves', async (name) => {
    expect((await type([name, 'hello'])).stdout).toBe('')
  })

  it('an unknown command is not sent to the agent', async () => {
    const { remarks, stdout } = await type(['/quti', '/'])
    expect(remarks).toContain('/quti is not a command; /help lists them')
    expect(remarks).toContain('/ is not a command')
    expect(stdout).toBe('')
  })
})
