import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { openLog } from '@quarterdeck/engine'
import { describe, expect, it } from 'vitest'
import {
  agentText,
  bash,
  folderWithSpentBudget,
  key,
  type Script,
  say,
  scripted,
  writeAgent,
} from '../../connect/scripted-agent.fixture.ts'
import { dataFolder } from '../../flags/runtime-options.ts'
import { errorText } from '../../terminal/error-text.ts'
import { exitCodeOfError } from '../../terminal/exit-codes.ts'
import { openTestTerminal, type TestTerminal } from '../../terminal/terminal.fixture.ts'
import { type RunFlags, run } from './run.ts'

async function start(script: Script, options: { flags?: RunFlags; piped?: string } = {}) {
  const screen = await openTestTerminal(options.piped === undefined ? {} : { piped: options.piped })
  const agent = await writeAgent(screen.terminal.cwd)
  const flags = options.flags ?? {}
  return { ...screen, code: run(screen.terminal, { agent, message: 'go', flags }, scripted(script)) }
}

async function logOf({ terminal }: Pick<TestTerminal, 'terminal'>) {
  const log = await openLog(dataFolder(terminal, {}))
  const [session] = (await log.listSessions({ limit: 1 })).sessions
  if (session === undefined) throw new Error('the log is empty')
  const { events } = await log.readEvents(session.sessionId, { limit: 1000 })
  await log.close()
  return { session, events }
}

describe('quarterdeck run in a script', () => {
  it.each([
    ['', {}, 'message: must not be empty'],
    ['x'.repeat(200_001), {}, /^message: .*200000 characters$/],
    ['go', { model: '' }, /^model: .*1 characters$/],
  ])('refuses an empty message or an invalid model with 2 and a reason', async (message, flags, sentence) => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd)
    const refused = await run(terminal, { agent, message, flags }, scripted([])).catch((error: unknown) => error)
    expect(errorText(refused)).toMatch(sentence)
    expect(exitCodeOfError(refused)).toBe(2)
  })

  it('reports a failure once', async () => {
    const ran = await start([[{ type: 'fail', reason: 'the well is dry' }]], { piped: '' })
    expect(await ran.code).toBe(1)
    expect(ran.stderr().match(/the well is dry/g)).toHaveLength(1)
  })

  it('exits with 1 and names the call and the rule when a call needs approval in a script', async () => {
    const ran = await start([[bash('git push'), bash('git push'), say('I could not push.')]], { piped: '' })
    expect(await ran.code).toBe(1)
    expect(ran.stdout()).toBe('I could not push.\n')
    const output = ran.stderr()
    expect(output).toContain('  ● Bash git push\n  ✘ denied\n')
    expect(output).not.toContain('no person can be asked here')
    expect(output.slice(output.indexOf('error:'))).toBe(
      "error: Bash git push: denied, because it needs approval and no person could be asked. To allow it, add approvals: {allow: ['Bash(git push)']} to the agent file, or run this in a terminal.\n",
    )
  })

  it('reports in the JSON result that a call was denied without a person to approve it', async () => {
    const ran = await start([[bash('git push'), say('I could not push.')]], { piped: '', flags: { json: true } })
    expect(await ran.code).toBe(1)
    const result = JSON.parse(ran.stdout())
    expect(result).toMatchObject({ is_error: true, response: 'I could not push.' })
    expect(result.error_reason).toMatch(/^Bash git push: denied, because it needs approval/)
  })

  it('exits with 0 when a rule of the agent file denied a call', async () => {
    const { terminal, stderr } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd, `${agentText}approvals: { deny: ['Bash(git push)'] }\n`)
    const script = scripted([[bash('git push'), say('Not allowed.')]])
    expect(await run(terminal, { agent, message: 'go', flags: {} }, script)).toBe(0)
    expect(stderr()).not.toContain('no person could be asked')
  })

  it('warns about a model of unknown price, and suggests a name for a misspelled one', async () => {
    const ran = await start([[say('Hi.')]], { piped: '', flags: { model: 'claude-sonnet-9' } })
    expect(await ran.code).toBe(0)
    expect(ran.stderr()).toContain('warning: the price of model "claude-sonnet-9" is unknown')
    const refused = await start([], { piped: '', flags: { model: 'claude-sonet-4' } })
    await expect(refused.code).rejects.toThrow('there is no model "claude-sonet-4". Did you mean "claude-sonnet-4-5"?')
  })

  it('renders Markdown for a terminal, wrapped to its width', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd)
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 20 })
    const answer = '- one \u001B[2Jtwo three four five\n- [docs](https://x.org)'
    await run({ ...terminal, stdout }, { agent, message: 'go', flags: {} }, scripted([[say(answer)]]))
    expect(String(stdout.read())).toBe('• one two three four\n  five\n• docs\n  (https://x.org)\n')
  })

  it('prints only the answer on stdout', async () => {
    const ran = await start([[say('Hel', 'lo.')]], { piped: '' })
    expect(await ran.code).toBe(0)
    expect(ran.stdout()).toBe('Hello.\n')
    expect(ran.stderr()).toMatch(/session ses_\w+ · simulator \(as claude-/)
    expect((await logOf(ran)).session.status).toBe('completed')
    expect(ran.handlers()).toBe(0)
  })

  it('warns about a hook that never runs, and about nothing else', async () => {
    const { terminal, stderr } = await openTestTerminal({ piped: '' })
    const guard = 'hooks: [{ event: PreToolUse, matcher: wether, action: reject, message: no }]\n'
    const text = agentText.replace('manual,', 'manual, disallowed_tools: [Nonsense],')
    const agent = await writeAgent(terminal.cwd, text + guard)
    expect(await run(terminal, { agent, message: 'go', flags: {} }, scripted([[say('Hello.')]]))).toBe(0)
    expect(stderr().match(/the hook never runs/g)).toHaveLength(1)
    expect(stderr()).not.toContain('Nonsense')
  })

  it.each([
    ['a function that is not there', 'type: function, file: look.mjs, function: lok', /exports no function lok/],
    ['an MCP server that cannot start', 'type: mcp, command: node, args: [./gone.mjs]', /Cannot find module/],
  ])('exits with 3 for %s, and prints the reason in one line', async (_, tool, why) => {
    const { terminal, stderr } = await openTestTerminal({ piped: '', env: { PATH: process.env.PATH ?? '' } })
    await writeFile(join(terminal.cwd, 'look.mjs'), 'export const look = () => 1')
    const agent = await writeAgent(
      terminal.cwd,
      `${agentText}tools: [{ name: tool, description: A tool., ${tool} }]\nbackend: loop\n`.replace(
        /^claude:.*\n/m,
        '',
      ),
    )
    expect(await run(terminal, { agent, message: 'go', flags: {} })).toBe(3)
    expect(stderr()).toMatch(why)
    expect(stderr().trimEnd().split('\n')).toHaveLength(3)
  })

  it('sends images with --image, and refuses other files with 2', async () => {
    const folder = await openTestTerminal({ piped: '' })
    const { cwd } = folder.terminal
    await writeFile(join(cwd, 'a.png'), Buffer.from('\u0089PNG\r\n\u001a\n and more', 'latin1'))
    await writeFile(join(cwd, 'b.png'), '<svg/>')
    const agent = await writeAgent(cwd)
    const go = (...image: string[]) => run(folder.terminal, { agent, message: 'look', flags: { image } }, scripted([]))
    expect(await go('a.png', 'a.png')).toBe(0)
    const { events } = await logOf(folder)
    const queued = events.find((event) => event.type === 'UserMessageQueued')
    expect(queued?.data.images).toMatchObject([{ mediaType: 'image/png' }, { mediaType: 'image/png' }])
    for (const [file, sentence] of [
      ['b.png', 'is not an image'],
      ['nowhere.png', 'cannot be read'],
    ] as const) {
      const refused = await go(file).catch((error: unknown) => error)
      expect(errorText(refused)).toContain(sentence)
      expect(exitCodeOfError(refused)).toBe(2)
    }
  })

  it('prints the whole result with --json', async () => {
    const ran = await start([[say('Hello.')]], { piped: '', flags: { json: true } })
    expect(await ran.code).toBe(0)
    expect(JSON.parse(ran.stdout())).toMatchObject({ response: 'Hello.', is_error: false, error_reason: null })
  })

  it.each([
    { when: 'the agent fails', step: { type: 'fail', reason: 'it broke' }, code: 1, error: /error: it broke/ },
    { when: 'it is out of turns', step: { type: 'limit', limit: 'turns' }, code: 1, error: /error: max_turns limit/ },
    { when: 'it is out of budget', step: { type: 'limit', limit: 'budget' }, code: 1, error: /error: .*budget/ },
    { when: 'it takes too long', step: { type: 'limit', limit: 'time' }, code: 3, error: /error: timeout exceeded/ },
    { when: 'its process dies', step: { type: 'crash' }, code: 3, error: /error: subprocess terminated/ },
  ] as const)('reports when $when, with an exit code and a message', async ({ step, code, error }) => {
    const ran = await start([[say('Well,'), step]], { piped: '' })
    expect(await ran.code).toBe(code)
    expect(ran.stderr()).toMatch(error)
  })

  it('reports another budget that refuses the message before the turn, and runs nothing later', async () => {
    const { cwd, agent } = await folderWithSpentBudget()
    const screen = await openTestTerminal({ piped: '', cwd, env: key })
    const input = { agent, message: 'again', flags: { json: true } }
    expect(await run(screen.terminal, input, scripted([]))).toBe(1)
    expect(JSON.parse(screen.stdout())).toMatchObject({ is_error: true, error_reason: 'budget limit reached' })
    expect(screen.stderr()).toMatch(/error: budget limit reached: agent tester per day has spent \$\S+ of \$0\.10/)
    expect((await logOf(screen)).session.status).toBe('cancelled')
  })

  it('prints nothing on stdout without an answer', async () => {
    const { cwd, agent } = await folderWithSpentBudget()
    const screen = await openTestTerminal({ piped: '', cwd, env: key })
    expect(await run(screen.terminal, { agent, message: 'again', flags: {} }, scripted([]))).toBe(1)
    expect(screen.stdout()).toBe('')
  })

  it('escapes control characters in errors', async () => {
    const ran = await start([[say('\u009b2J'), { type: 'fail', reason: 'no \u001b[2J' }]], {
      piped: '',
      flags: { json: true },
    })
    expect(await ran.code).toBe(1)
    expect(ran.stderr()).toContain('error: no \\u001b[2J')
    expect(ran.stderr()).not.toContain('\u001b')
    expect(ran.stdout()).toContain('\\u009b2J')
    expect(JSON.parse(ran.stdout())).toMatchObject({ response: '\u009b2J', error_reason: 'no \u001b[2J' })
  })

  it('denies a call that needs approval with a message that says how to allow it', async () => {
    const ran = await start([[bash('ls'), say('done')]], { piped: 'y\n' })
    expect(await ran.code).toBe(1)
    const executed = (await logOf(ran)).events.find((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({
      isError: true,
      output: expect.stringContaining("approvals: {allow: ['Bash(ls)']}"),
    })
  })

  it('runs although the secret of a configured webhook is missing', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd)
    const hook = `webhooks: [{ url: "https://example.org/hook", secret: "\${NOT_SET}", events: [TurnEnded] }]\n`
    await writeFile(join(terminal.cwd, 'config.yaml'), hook)
    expect(await run(terminal, { agent, message: 'go', flags: {} }, scripted([[say('Hello.')]]))).toBe(0)
    expect(stdout()).toBe('Hello.\n')
  })

  it('uses another model for this run', async () => {
    const ran = await start([[say('Hello.')]], { piped: '', flags: { model: 'low' } })
    expect(await ran.code).toBe(0)
    expect(ran.stderr()).toContain('haiku')
  })

  it('refuses a missing or invalid file before anything is written', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const input = { agent: 'nowhere.yaml', message: 'go', flags: {} }
    await expect(run(terminal, input, scripted([]))).rejects.toMatchObject({ code: 'agent.not-found' })
    await expect(run(terminal, { ...input, agent: '.' }, scripted([]))).rejects.toMatchObject({
      code: 'agent.not-found',
      message: expect.stringContaining('no agent.yaml in this folder'),
    })
    await writeAgent(terminal.cwd, agentText.replace('high', 'hihg'))
    await expect(run(terminal, { ...input, agent: '.' }, scripted([]))).rejects.toMatchObject({
      code: 'config.invalid',
      message: expect.stringContaining('hihg'),
    })
  })
})

describe('quarterdeck run in a terminal', () => {
  it('runs allowed calls, skips denied ones, and records who decided', async () => {
    const ran = await start([[bash('ls'), bash('rm x'), say('done')]])
    await ran.asked(/ls\n[\s\S]*deny: $/)
    ran.type('y')
    await ran.asked(/rm x\n[\s\S]*deny: $/)
    ran.type('n')
    await ran.asked(/note for the agent .*: $/)
    ran.type('Keep it.')
    expect(await ran.code).toBe(0)
    const { events } = await logOf(ran)
    expect(events.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data] : []))).toMatchObject([
      { isError: false, output: 'ran {"command":"ls"}' },
      { isError: true, output: expect.stringContaining('Keep it.') },
    ])
  })

  it('runs a command as the user edited it', async () => {
    const ran = await start([[bash('rm x'), say('done')]])
    await ran.asked(/deny: $/)
    ran.type('e')
    await ran.asked(/new command: rm x$/)
    ran.type('\u0015ls')
    expect(await ran.code).toBe(0)
    const executed = (await logOf(ran)).events.find((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({ isError: false, output: 'ran {"command":"ls"}' })
  })

  it('does not ask again for a call that was allowed for the session', async () => {
    const ran = await start([[bash('ls'), bash('ls'), say('done')]])
    await ran.asked(/deny: $/)
    ran.type('s')
    expect(await ran.code).toBe(0)
    expect(ran.stderr().match(/needs approval/g)).toHaveLength(1)
  })

  it('stops at Ctrl-C and says so', async () => {
    const ran = await start([[{ type: 'stall', chunks: ['Once'] }]])
    await ran.asked(/session ses_/)
    ran.signal()
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed', message: 'interrupted' })
  })

  it('starts no session when it is stopped while the runtime opens', async () => {
    const ran = await start([[say('Hello.')]])
    ran.signal()
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed', message: 'interrupted' })
    const log = await openLog(dataFolder(ran.terminal, {}))
    expect((await log.listSessions({ limit: 1 })).sessions).toEqual([])
    await log.close()
  })

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('leaves at %s during a question', async (_name, key) => {
    const ran = await start([[bash('ls'), say('done')]])
    await ran.asked(/deny: $/)
    ran.press(key)
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed' })
    const { events } = await logOf(ran)
    expect(events.some((event) => event.type === 'ToolExecuted' && !event.data.isError)).toBe(false)
    expect(events.some((event) => event.type === 'ApprovalDecided')).toBe(false)
  })
})
