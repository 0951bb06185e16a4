import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { openLog } from '@quarterdeck/engine'
import { describe, expect, it } from 'vitest'
import {
  agentText,
  bash,
  folderWithoutMoney,
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
  const [session] = (await log.list({ limit: 1 })).sessions
  if (session === undefined) throw new Error('the log is empty')
  const { events } = await log.events(session.sessionId, 0, 1000)
  await log.close()
  return { session, events }
}

describe('quarterdeck run in a script', () => {
  it.each([
    ['', {}, 'message: must not be empty'],
    ['x'.repeat(200_001), {}, /^message: .*200000 characters$/],
    ['go', { model: '' }, /^model: .*1 characters$/],
  ])('refuses what is no message or no model with 2 and a sentence', async (message, flags, sentence) => {
    const { terminal } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd)
    const refused = await run(terminal, { agent, message, flags }, scripted([])).catch((error: unknown) => error)
    expect(errorText(refused)).toMatch(sentence)
    expect(exitCodeOfError(refused)).toBe(2)
  })

  it('says once why it failed', async () => {
    const ran = await start([[{ type: 'fail', reason: 'the well is dry' }]], { piped: '' })
    expect(await ran.code).toBe(1)
    expect(ran.stderr().match(/the well is dry/g)).toHaveLength(1)
  })

  it('exits with 1 and names the call and the rule when a call needed approval and nobody could be asked', async () => {
    const ran = await start([[bash('git push'), bash('git push'), say('I could not push.')]], { piped: '' })
    expect(await ran.code).toBe(1)
    expect(ran.stdout()).toBe('I could not push.\n')
    const told = ran.stderr()
    expect(told.slice(told.indexOf('error:'))).toBe(
      "error: Bash git push: denied, because it needs approval and nobody could be asked. To allow it, add approvals: {allow: ['Bash(git push)']} to the agent file, or run this in a terminal.\n",
    )
  })

  it('says in the JSON result that a call was denied because nobody could be asked', async () => {
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
    expect(stderr()).not.toContain('nobody could be asked')
  })

  it('warns of a model whose price is unknown, and refuses a misspelled one with a suggestion', async () => {
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

  it('prints the answer and nothing else on stdout', async () => {
    const ran = await start([[say('Hel', 'lo.')]], { piped: '' })
    expect(await ran.code).toBe(0)
    expect(ran.stdout()).toBe('Hello.\n')
    expect(ran.stderr()).toMatch(/session ses_\w+ · simulator \(as claude-/)
    expect((await logOf(ran)).session.status).toBe('completed')
    expect(ran.handlers()).toBe(0)
  })

  it('warns of a guard that never runs, and of nothing else that the file does not hold against it', async () => {
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
  ])('ends with 3 for %s, which is not the agent’s fault, and says why in a line', async (_, tool, why) => {
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

  it('sends pictures with --image, and refuses with 2 what is none', async () => {
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
      ['b.png', 'is no picture'],
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
  ] as const)('when $when, the exit code and a sentence say so', async ({ step, code, error }) => {
    const ran = await start([[say('Well,'), step]], { piped: '' })
    expect(await ran.code).toBe(code)
    expect(ran.stderr()).toMatch(error)
  })

  it('when another budget refuses it before it begins, says so, and nothing runs later by itself', async () => {
    const { cwd, agent } = await folderWithoutMoney()
    const screen = await openTestTerminal({ piped: '', cwd, env: key })
    const input = { agent, message: 'again', flags: { json: true } }
    expect(await run(screen.terminal, input, scripted([]))).toBe(1)
    expect(JSON.parse(screen.stdout())).toMatchObject({ is_error: true, error_reason: 'budget limit reached' })
    expect(screen.stderr()).toMatch(/error: budget limit reached: agent tester per day has spent \$\S+ of \$0\.10/)
    expect((await logOf(screen)).session.status).toBe('cancelled')
  })

  it('says what went wrong without letting the terminal obey it', async () => {
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

  it('never waits for somebody to ask: the call is denied with a sentence that says how to allow it', async () => {
    const ran = await start([[bash('ls'), say('done')]], { piped: 'y\n' })
    expect(await ran.code).toBe(1)
    const executed = (await logOf(ran)).events.find((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({
      isError: true,
      output: expect.stringContaining("approvals: {allow: ['Bash(ls)']}"),
    })
  })

  it('runs where the webhooks of the server lack their secret', async () => {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    const agent = await writeAgent(terminal.cwd)
    const hook = `webhooks: [{ url: "https://example.org/hook", secret: "\${NOT_SET}", events: [TurnEnded] }]\n`
    await writeFile(join(terminal.cwd, 'config.yaml'), hook)
    expect(await run(terminal, { agent, message: 'go', flags: {} }, scripted([[say('Hello.')]]))).toBe(0)
    expect(stdout()).toBe('Hello.\n')
  })

  it('takes another model for this run', async () => {
    const ran = await start([[say('Hello.')]], { piped: '', flags: { model: 'low' } })
    expect(await ran.code).toBe(0)
    expect(ran.stderr()).toContain('haiku')
  })

  it('refuses a file that is not there, or has problems, before anything is written', async () => {
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

describe('quarterdeck run at a terminal', () => {
  it('runs what was allowed and not what was denied, by the name of who decided', async () => {
    const ran = await start([[bash('ls'), bash('rm x'), say('done')]])
    await ran.asked(/ls\n[\s\S]*deny: $/)
    ran.type('y')
    await ran.asked(/rm x\n[\s\S]*deny: $/)
    ran.type('n')
    await ran.asked(/a word to the agent .*: $/)
    ran.type('Keep it.')
    expect(await ran.code).toBe(0)
    const { events } = await logOf(ran)
    expect(events.flatMap((event) => (event.type === 'ToolExecuted' ? [event.data] : []))).toMatchObject([
      { isError: false, output: 'ran {"command":"ls"}' },
      { isError: true, output: expect.stringContaining('Keep it.') },
    ])
  })

  it('runs an edited command as it was rewritten', async () => {
    const ran = await start([[bash('rm x'), say('done')]])
    await ran.asked(/deny: $/)
    ran.type('e')
    await ran.asked(/new command: rm x$/)
    ran.type('\u0015ls')
    expect(await ran.code).toBe(0)
    const executed = (await logOf(ran)).events.find((event) => event.type === 'ToolExecuted')
    expect(executed?.data).toMatchObject({ isError: false, output: 'ran {"command":"ls"}' })
  })

  it('asks no second time for what was allowed in this session', async () => {
    const ran = await start([[bash('ls'), bash('ls'), say('done')]])
    await ran.asked(/deny: $/)
    ran.type('s')
    expect(await ran.code).toBe(0)
    expect(ran.stderr().match(/needs approval/g)).toHaveLength(1)
  })

  it('stops when it is told to, and says so', async () => {
    const ran = await start([[{ type: 'stall', chunks: ['Once'] }]])
    await ran.asked(/session ses_/)
    ran.signal()
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed', message: 'interrupted' })
  })

  it('starts nothing when it is told to stop while the house opens', async () => {
    const ran = await start([[say('Hello.')]])
    ran.signal()
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed', message: 'interrupted' })
    const log = await openLog(dataFolder(ran.terminal, {}))
    expect((await log.list({ limit: 1 })).sessions).toEqual([])
    await log.close()
  })

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s at a question leaves', async (_name, key) => {
    const ran = await start([[bash('ls'), say('done')]])
    await ran.asked(/deny: $/)
    ran.press(key)
    await expect(ran.code).rejects.toMatchObject({ code: 'session.closed' })
    const { events } = await logOf(ran)
    expect(events.some((event) => event.type === 'ToolExecuted' && !event.data.isError)).toBe(false)
    expect(events.some((event) => event.type === 'ApprovalDecided')).toBe(false)
  })
})
