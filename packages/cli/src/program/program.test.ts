import { afterEach, describe, expect, it, vi } from 'vitest'
import { writeAgent } from '../connect/scripted-agent.fixture.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { runProgram } from './program.ts'

async function type(...argv: readonly string[]) {
  const { terminal, stdout, stderr } = await openTestTerminal({ piped: '' })
  await writeAgent(terminal.cwd)
  return { code: await runProgram(terminal, argv, '1.2.3'), stdout: stdout(), stderr: stderr() }
}

afterEach(() => void vi.unstubAllEnvs())

describe('the command line', () => {
  it('prints the commands and how to start without arguments', async () => {
    const { code, stdout } = await type()
    expect(code).toBe(0)
    for (const name of ['serve', 'run', 'chat', 'sessions', 'validate', 'doctor']) expect(stdout).toContain(`  ${name}`)
    expect(stdout).toMatch(/Getting started:\n {2}node .*quarterdeck\.mjs init/)
  })

  it('prints its version', async () => {
    expect(await type('--version')).toMatchObject({ code: 0, stdout: '1.2.3\n' })
  })

  it.each([
    [['serv'], /Did you mean serve/],
    [['sessions', 'frok'], /unknown command 'frok'\n\(Did you mean fork\?\)/],
    [['keys', 'lss'], /unknown command 'lss'\n\(Did you mean ls\?\)/],
    [['keys', 'create', 'ci', '--scope', 'root'], /admin, operator, viewer, agent/],
    [['keys', 'create', 'ci', '--rate', '0'], /must be a whole number from 1 to 60000/],
    [['keys', 'create', 'ci', '--budget', '-1'], /must be an amount in dollars/],
    [['keys', 'create', 'ci', '--budget', '5', '--period', 'week'], /day, month, total/],
    [['run', 'agent.yaml'], /message/],
    [['serve', '--port', '70000'], /must be a port/],
    [['serve', '--port', 'x'], /must be a port/],
    [['serve', '--port', ''], /must be a port/],
    [
      ['serve', '--compat', 'caht'],
      /there is no wire "caht": use one of chat, claude-agent-server, analyze\. Did you mean "chat"\?/,
    ],
    [['serve', '--compat', 'chat:70000'], /the port after "chat:" must be a port/],
    [['sessions', '--limit', '-1'], /must be a whole number/],
    [['sessions', '--limit', '0'], /must be a whole number from 1 to 200/],
    [['sessions', 'list', '--limit', '201'], /must be a whole number from 1 to 200/],
    [['sessions', 'ls', '--limit', '202'], /must be a whole number from 1 to 200/],
    [['mcp', 'ls', '--limit', '1'], /unknown option '--limit'/],
    [['chat', '.', '--model-source', 'oracle'], /provider, simulator, auto/],
    [['doctor', '--jsn'], /--json/],
  ])('refuses %j with 2 and the reason', async (argv, sentence) => {
    const { code, stdout, stderr } = await type(...argv)
    expect(code).toBe(2)
    expect(stderr).toMatch(sentence)
    expect(stdout).toBe('')
  })

  it('refuses an invalid port from the environment with 2 and the reason', async () => {
    vi.stubEnv('QUARTERDECK_PORT', 'abc')
    const { code, stderr } = await type('serve')
    expect(code).toBe(2)
    expect(stderr).toMatch(/'abc' from env 'QUARTERDECK_PORT' is invalid\. must be a port/)
  })

  it('returns the exit code of the command', async () => {
    expect((await type('validate')).code).toBe(0)
    expect((await type('validate', 'nowhere.yaml')).code).toBe(2)
  })

  it('lists sessions when `sessions` has no subcommand', async () => {
    await expect(type('sessions')).rejects.toMatchObject({ code: 'config.unreadable' })
    await expect(type('sessions', '--json')).rejects.toMatchObject({ code: 'config.unreadable' })
    expect((await type('sessions', '--help')).stdout).toContain('rewind')
    expect((await type('serve', '--help')).stdout.replaceAll(/\s+/g, ' ')).toContain(
      'chat:8000, claude-agent-server:3000',
    )
  })
})
