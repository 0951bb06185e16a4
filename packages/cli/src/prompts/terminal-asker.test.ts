import { ApprovalId, type EventOfType, type JsonObject } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { paletteFor } from '../render/palette.ts'
import { openTestTerminal } from '../terminal/terminal.fixture.ts'
import { createTerminalAsker } from './terminal-asker.ts'

type Request = EventOfType<'ApprovalRequested'>['data']

function approvalRequest(toolName: string, toolInput: JsonObject, change: Partial<Request> = {}): Request {
  return {
    approvalId: ApprovalId.parse('apr_asked0'),
    toolUseId: 'toolu_1',
    toolName,
    toolInput,
    effects: ['irreversible'],
    rule: 'no rule allows this call',
    sessionRule: { tool: toolName, pattern: null },
    expiresAt: null,
    insteadOf: null,
    ...change,
  }
}

const listing = approvalRequest('Bash', { command: 'ls -la', timeout: 5 })

async function ask(request: Request = listing) {
  const screen = await openTestTerminal()
  const withdrawn = new AbortController()
  const palette = paletteFor({}, {})
  const asker = createTerminalAsker({ terminal: screen.terminal, palette, cwd: '/project' })
  const decision = asker.askApproval(request, withdrawn.signal)
  await screen.asked(/\[n\] deny: $/)
  /** Types each line once its question is shown. */
  const answer = async (...lines: readonly (readonly [string, RegExp | null])[]) => {
    for (const [line, next] of lines) {
      screen.type(line)
      if (next !== null) await screen.asked(next)
    }
    return decision
  }
  return { ...screen, decision, answer, withdraw: () => withdrawn.abort() }
}

describe('an approval in a terminal', () => {
  it('shows the tool, the reason, and the whole input', async () => {
    const asked = await ask()
    expect(asked.stderr()).toContain('! Bash needs approval  no rule allows this call')
    expect(asked.stderr()).toContain('    ls -la\n')
    expect(asked.stderr()).toContain('{"timeout":5}')
    expect(asked.stderr()).toContain('[s] allow Bash in this session')
    expect(asked.stdout()).toBe('')
    asked.withdraw()
  })

  it('shows hidden characters in the name of a tool and in its rule', async () => {
    const asked = await ask(approvalRequest('mcp__a__\u202eb', {}, { rule: 'x\u001b[2K' }))
    expect(asked.stderr()).toContain('! a · \\u202eb needs approval  x\\u001b[2K')
    asked.withdraw()
  })

  it('shows the earlier approval when the agent now wants something else', async () => {
    const before = { approvalId: listing.approvalId, toolInput: { command: 'ls' } }
    const asked = await ask({ ...listing, insteadOf: before })
    expect(asked.stderr()).toMatch(/approved before:\s+ls\n/)
    asked.withdraw()
  })

  it('y allows the call once', async () => {
    expect(await (await ask()).answer(['y', null])).toEqual({ decision: 'allow' })
  })

  it('s allows the call for the session', async () => {
    expect(await (await ask()).answer(['S', null])).toEqual({ decision: 'allow_session' })
  })

  it('offers the tool and the server of an MCP call as rules', async () => {
    const widerRules = ['mcp__notes__add', 'mcp__notes'].map((tool) => ({ tool, pattern: null }))
    const request = approvalRequest('mcp__notes__add', { text: 'milk' }, { widerRules })
    const asked = await ask(request)
    expect(asked.stderr()).toContain(
      '[s] allow these arguments in this session  [t] allow this tool (mcp__notes__add) in this session  [v] allow every tool of this server (mcp__notes) in this session',
    )
    expect(await asked.answer(['t', null])).toEqual({ decision: 'allow_session', rule: widerRules[0] })
    expect(await (await ask(request)).answer(['server', null])).toEqual({
      decision: 'allow_session',
      rule: widerRules[1],
    })
  })

  it('n denies the call, with a note for the agent', async () => {
    const asked = await ask()
    const decision = await asked.answer(['no', /note for the agent .*: $/], ['Not today.', null])
    expect(decision).toEqual({ decision: 'deny', note: 'Not today.' })
  })

  it('n denies the call without a note when the line is empty', async () => {
    expect(await (await ask()).answer(['n', /note for the agent/], ['', null])).toEqual({ decision: 'deny' })
  })

  it('e allows the edited command and keeps the rest of the input', async () => {
    const decision = await (await ask()).answer(['e', /new command: ls -la$/], ['\u0015ls', null])
    expect(decision).toEqual({ decision: 'allow', input: { command: 'ls', timeout: 5 } })
  })

  it('e takes JSON for a tool without a command, and asks again for invalid JSON', async () => {
    const asked = await ask(approvalRequest('Read', { file_path: '/project/a.ts' }))
    const decision = await asked.answer(
      ['e', /new input as JSON: \{"file_path":"\/project\/a.ts"\}$/],
      ['\u0015["a"]', /not a JSON object[\s\S]*deny: $/],
      ['e', /deny: [\s\S]*deny: e[\s\S]*new input as JSON: \S+$/],
      ['\u0015{"file_path":"b.ts"}', null],
    )
    expect(decision).toEqual({ decision: 'allow', input: { file_path: 'b.ts' } })
  })

  it('e with an empty line decides nothing and asks again', async () => {
    const asked = await ask()
    const decision = await asked.answer(
      ['e', /new command: ls -la$/],
      ['\u0015', /new command: [\s\S]*deny: $/],
      ['y', null],
    )
    expect(decision).toEqual({ decision: 'allow' })
  })

  it('asks again after an unknown answer', async () => {
    const asked = await ask()
    const decision = await asked.answer(['maybe', /deny: [\s\S]*deny: $/], ['', /(deny: [\s\S]*){3}$/], ['y', null])
    expect(decision).toEqual({ decision: 'allow' })
  })

  it.each(['you are wrong', 'sure, no', 'edition', 'nope'])('accepts no letter from "%s"', async (words) => {
    const asked = await ask()
    asked.type(words)
    await asked.asked(/please answer y, s, e or n[\s\S]*deny: $/)
    expect(await asked.answer(['yes', null])).toEqual({ decision: 'allow' })
  })

  it('e without a change allows the call as it is', async () => {
    expect(await (await ask()).answer(['e', /new command: ls -la$/], ['', null])).toEqual({ decision: 'allow' })
  })

  it('e takes JSON for a command with several lines', async () => {
    const asked = await ask(approvalRequest('Bash', { command: 'ls\npwd' }))
    const decision = await asked.answer(['e', /new input as JSON: \{"command":"ls\\npwd"\}$/], ['', null])
    expect(decision).toEqual({ decision: 'allow' })
  })

  it.each(['y\n', 'y', 'y\ny'])('ignores %j typed before it was shown', async (typed) => {
    const screen = await openTestTerminal()
    screen.press(typed)
    const asker = createTerminalAsker({ terminal: screen.terminal, palette: paletteFor({}, {}), cwd: '/project' })
    const decision = asker.askApproval(listing, new AbortController().signal)
    await screen.asked(/typed before this question[\s\S]*deny: $/)
    screen.type('n')
    await screen.asked(/note for the agent .*: $/)
    screen.type('')
    expect(await decision).toEqual({ decision: 'deny' })
  })

  it('decides nothing when it was decided elsewhere meanwhile', async () => {
    const asked = await ask()
    asked.withdraw()
    expect(await asked.decision).toBeNull()
  })

  it('decides nothing when it is withdrawn during an edit', async () => {
    const asked = await ask()
    asked.type('e')
    await asked.asked(/new command: ls -la$/)
    asked.withdraw()
    expect(await asked.decision).toBeNull()
  })

  it('decides nothing when the user leaves', async () => {
    const asked = await ask()
    asked.press('\u0004')
    expect(await asked.decision).toBeNull()
  })
})
