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
import { openTestTerminal } from '../../terminal/terminal.fixture.ts'
import { type ChatFlags, chat } from './chat.ts'

interface ChatInput {
  readonly script?: Script
  readonly piped?: string
  readonly flags?: ChatFlags
  readonly cwd?: string
}

async function start({ script = [], piped, flags = {}, cwd }: ChatInput) {
  const screen = await openTestTerminal({
    ...(piped === undefined ? {} : { piped }),
    ...(cwd === undefined ? {} : { cwd }),
  })
  const agent = await writeAgent(screen.terminal.cwd)
  return { ...screen, code: chat(screen.terminal, { agent, flags }, scripted(script)) }
}

const sessionIn = (text: string): string => /session (ses_\w+)/.exec(text)?.[1] ?? ''

describe('quarterdeck chat in a pipe', () => {
  it('answers line by line, each after the previous answer is complete', async () => {
    const talk = await start({ script: [[say('One.')], [say('Two.')]], piped: 'first\n\n  second  \n' })
    expect(await talk.code).toBe(0)
    expect(talk.stdout()).toMatch(/^One\.\n.*\$0.*\nTwo\.\n.*\$0.*\n$/)
    expect(talk.stderr()).not.toContain('›')
  })

  it('trims each line before sending it', async () => {
    const talk = await start({ piped: '  hello there \n' })
    await talk.code
    expect(talk.stdout()).toContain('You said: hello there\n')
  })

  it('exits with the code of the last turn', async () => {
    const failing: Script = [[say('Well.')], [{ type: 'crash' }]]
    expect(await (await start({ script: failing, piped: 'a\nb\n' })).code).toBe(3)
    expect(await (await start({ script: [[{ type: 'fail', reason: 'no' }]], piped: 'a\n' })).code).toBe(1)
    expect(await (await start({ script: [[{ type: 'fail', reason: 'no' }]], piped: 'a\nb\n' })).code).toBe(0)
  })

  it('exits with 1 each time a budget refuses the message', async () => {
    const { cwd, agent } = await folderWithSpentBudget()
    const { terminal, stdout } = await openTestTerminal({ piped: 'hi\nand again\n', cwd, env: key })
    expect(await chat(terminal, { agent, flags: {} }, scripted([]))).toBe(1)
    expect(stdout()).toContain('Out of budget: the limit of agent tester per day is $0.10.')
  })

  it('does not send a line that is too long, reads on, and exits with 2', async () => {
    const talk = await start({ piped: `${'a'.repeat(500_000)}\nshort\n` })
    expect(await talk.code).toBe(2)
    expect(talk.stderr()).toMatch(/^not sent: /m)
    expect(talk.stdout()).toMatch(/^You said: short\n/)
  })

  it('denies calls that need approval', async () => {
    const talk = await start({ script: [[bash('ls'), say('done')]], piped: 'go\ny\n' })
    expect(await talk.code).toBe(0)
    expect(talk.stdout()).toContain('no person can be asked here')
    expect(talk.stdout()).toContain('You said: y')
  })

  it('stops at /quit and does not send the lines after it', async () => {
    const talk = await start({ piped: '/help\n/quit\nhello\n' })
    expect(await talk.code).toBe(0)
    expect(talk.stderr()).toContain('/cost')
    expect(talk.stdout()).toBe('')
  })

  it('continues an earlier session', async () => {
    const first = await start({ piped: 'hello\n' })
    await first.code
    const resume = sessionIn(first.stderr())
    const second = await start({ piped: '/cost\nagain\n', cwd: first.terminal.cwd, flags: { resume } })
    expect(await second.code).toBe(0)
    expect(sessionIn(second.stderr())).toBe(resume)
    expect(second.stdout()).toContain('You said: again')
    expect(second.stdout()).not.toContain('You said: hello')
  })

  it('refuses a session id that is unknown, malformed or belongs to another agent', async () => {
    const first = await start({ piped: 'hello\n' })
    await first.code
    const resume = sessionIn(first.stderr())
    const { cwd } = first.terminal
    const refused = async (id: string) => (await start({ piped: '', cwd, flags: { resume: id } })).code
    await expect(refused('ses_nowhere')).rejects.toMatchObject({ code: 'session.not-found' })
    await expect(refused('../token')).rejects.toMatchObject({ code: 'session.not-found' })
    const { terminal } = await openTestTerminal({ piped: '', cwd })
    const agent = await writeAgent(cwd, agentText.replace('tester', 'another'))
    await expect(chat(terminal, { agent, flags: { resume } }, scripted([]))).rejects.toMatchObject({
      code: 'request.invalid',
      message: expect.stringContaining('belongs to agent "tester"'),
    })
  })
})

describe('quarterdeck chat in a terminal', () => {
  it('asks for approval inside the conversation and shows the prompt again', async () => {
    const talk = await start({ script: [[bash('ls'), say('Listed.')]] })
    await talk.asked(/› $/)
    talk.type('list')
    await talk.asked(/Bash needs approval[\s\S]*deny: $/)
    talk.type('y')
    await expect.poll(talk.stdout).toContain('Listed.')
    await talk.asked(/deny: y[\s\S]*› $/)
    talk.type('/quit')
    expect(await talk.code).toBe(0)
    expect(talk.stderr()).toMatch(/continue later: node \/.*bin\/quarterdeck\.mjs chat .* --resume ses_/)
  })

  it('stops the turn at Ctrl-C and leaves when it is pressed at the prompt', async () => {
    const talk = await start({ script: [[{ type: 'stall', chunks: ['Once upon'] }]] })
    await talk.asked(/› $/)
    talk.type('a long story')
    await expect.poll(talk.stdout).toContain('Once upon')
    talk.press('\u0003')
    await talk.asked(/interrupting…[\s\S]*› $/)
    expect(talk.stdout()).toMatch(/interrupted/)
    talk.press('\u0003')
    expect(await talk.code).toBe(1)
  })

  it('clears a typed line at Ctrl-C, and leaves when it is pressed again', async () => {
    const talk = await start({ script: [] })
    await talk.asked(/› $/)
    talk.press('rm -rf')
    await talk.asked(/rm -rf$/)
    talk.press('\u0003')
    talk.type('hello')
    await expect.poll(talk.stdout).toContain('You said: hello')
    await talk.asked(/hello[\s\S]*› $/)
    talk.press('\u0003')
    expect(await talk.code).toBe(0)
  })

  it('sends lines typed during a turn after the turn, and never uses them as an answer', async () => {
    const talk = await start({ script: [[say('One'), bash('ls'), say('Two.')]] })
    await talk.asked(/› $/)
    talk.press('go\ny\nno')
    await talk.asked(/queued: y[\s\S]*typed before this question[\s\S]*deny: $/)
    talk.type('n')
    await talk.asked(/note for the agent .*: $/)
    talk.type('')
    await expect.poll(talk.stdout).toContain('You said: y')
    await talk.asked(/› $/)
    talk.type('/quit')
    expect(await talk.code).toBe(0)
    expect(talk.stdout()).toContain('Two.')
  })

  it('drops queued lines at Ctrl-C and says so', async () => {
    const talk = await start({ script: [[{ type: 'stall', chunks: ['Once upon'] }]] })
    await talk.asked(/› $/)
    talk.press('a long story\nand another\n')
    await talk.asked(/queued: and another/)
    await expect.poll(talk.stdout).toContain('Once upon')
    talk.press('\u0003')
    await talk.asked(/not sent: and another[\s\S]*› $/)
    talk.press('\u0003')
    await talk.code
    expect(talk.stdout()).not.toContain('You said: and another')
  })

  it('leaves at Ctrl-D', async () => {
    const talk = await start({})
    await talk.asked(/› $/)
    talk.press('\u0004')
    expect(await talk.code).toBe(0)
  })

  it('shows the last answer when it resumes a session', async () => {
    const first = await start({ script: [[say('Forty-two.')]], piped: 'hello\n' })
    await first.code
    const flags = { resume: sessionIn(first.stderr()) }
    const second = await start({ flags, cwd: first.terminal.cwd })
    await second.asked(/last answer: Forty-two\.[\s\S]*› $/)
    second.type('/quit')
    expect(await second.code).toBe(0)
  })

  it('escapes control characters in the answer', async () => {
    const first = await start({ script: [[say('All \u001b[2Jgone.')]], piped: 'hello\n' })
    await first.code
    const second = await start({ flags: { resume: sessionIn(first.stderr()) }, cwd: first.terminal.cwd })
    await second.asked(/last answer: All \\u001b\[2Jgone\.[\s\S]*› $/)
    second.type('/\u009b2Jquti')
    await second.asked(/\/\\u009b2Jquti is not a command/)
    second.type('/quit')
    expect(await second.code).toBe(0)
  })

  it('asks open questions again, and in a pipe refuses to wait for an answer', async () => {
    const first = await start({ script: [[bash('ls')]] })
    await first.asked(/› $/)
    first.type('list')
    await first.asked(/deny: $/)
    first.press('\u0004')
    await first.code
    const resumed = { flags: { resume: sessionIn(first.stderr()) }, cwd: first.terminal.cwd }
    const piped = await start({ ...resumed, piped: 'go on\n' })
    await expect(piped.code).rejects.toMatchObject({
      message: expect.stringMatching(/waits for an approval \(Bash\).*quarterdeck\.mjs sessions approve ses_/),
    })
    const second = await start({ ...resumed, script: [[bash('ls'), say('Listed.')]] })
    await second.asked(/Bash needs approval[\s\S]*ls[\s\S]*deny: $/)
    second.type('y')
    await expect.poll(second.stdout).toContain('Listed.')
    await second.asked(/deny: y[\s\S]*› $/)
    second.type('/quit')
    expect(await second.code).toBe(0)
  })

  it.each([
    ['a second Ctrl-C', ['\u0003', '\u0003']],
    ['Ctrl-D', ['\u0004']],
  ])('leaves at %s while the resumed session is working', async (_name, keys) => {
    const first = await start({ script: [[bash('ls')]] })
    await first.asked(/› $/)
    first.type('list')
    await first.asked(/deny: $/)
    first.press('\u0004')
    await first.code
    const flags = { resume: sessionIn(first.stderr()) }
    const second = await start({ flags, cwd: first.terminal.cwd })
    await second.asked(/Ctrl-D leaves/)
    for (const key of keys) second.press(key)
    expect(await second.code).toBe(0)
  })
})
