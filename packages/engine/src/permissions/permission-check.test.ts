import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHostileProject, everything, type Setting, typeOf } from './hostile-project.fixture.ts'
import { createPermissionCheck, noPersonToAskSentence } from './permission-check.ts'
import { allSessionTools } from './tools/session-tools.ts'

let project: Awaited<ReturnType<typeof createHostileProject>>
beforeAll(async () => {
  project = await createHostileProject()
})
afterAll(() => project.remove())

const check = (toolName: string, toolInput: Record<string, unknown>, setting: Setting = {}) =>
  project.check(toolName, toolInput, setting)
const bash = (command: string, setting: Setting = {}) => project.bash(command, setting)

describe('an unavailable tool', () => {
  it('is denied in every mode and against every rule', async () => {
    for (const mode of ['manual', 'acceptEdits', 'acceptAll', 'plan'] as const) {
      for (const toolName of ['TodoWrite', 'StructuredOutput', 'WebFetch', 'Bash', 'mcp__x__y']) {
        const claude = { bash: { ...everything.bash, enabled: false } }
        const answer = await check(toolName, { command: 'ls' }, { mode, allow: ['*'], session: ['*'], claude })
        expect(answer).toMatchObject({ type: 'deny' })
        expect(answer.type === 'deny' && answer.message).toContain(
          `${toolName} is not available to this agent. It has: Read`,
        )
      }
    }
  })

  it('is denied with a hint for an agent without tools', async () => {
    const answer = await check('Read', { file_path: 'a' }, { claude: { allowedTools: [] } })
    expect(answer).toMatchObject({ message: 'Read is not available to this agent. It has no tools: answer in words.' })
  })
})

describe('a message to a subagent', () => {
  it.each([
    ['all agents', { to: '*', message: 'x' }],
    ['another session', { to: 'uds:/run/other.sock', message: 'x' }],
    ['no recipient', { message: 'x' }],
    ['a subagent, if it is not plain text', { to: 'a20a490291bf96eb3', message: { type: 'shutdown_request' } }],
  ])('is refused for %s in any mode and against any rule', async (_, input) => {
    const answer = await check('SendMessage', input, { mode: 'acceptAll', allow: ['*'], session: ['*'] })
    expect(answer).toMatchObject({ type: 'deny', rule: 'SendMessage reaches subagents only' })
  })
})

describe('an available tool', () => {
  const calls: [string, Record<string, unknown>][] = [
    ['Bash', { command: 'ls' }],
    ['Read', { file_path: 'src/a.ts' }],
    ['Glob', { pattern: '**/*.ts' }],
    ['Grep', { pattern: 'x' }],
    ['Write', { file_path: 'src/b.ts', content: '' }],
    ['Edit', { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' }],
    ['WebSearch', { query: 'x' }],
    ['Agent', { subagent_type: 'explorer', prompt: 'x' }],
    ['SendMessage', { to: 'a20a490291bf96eb3', message: 'go on' }],
  ]

  it.each(calls)('needs approval in manual mode for %s', async (toolName, input) => {
    const answer = await check(toolName, input, { mode: 'manual' })
    expect(answer).toMatchObject({ type: 'ask', rule: 'no rule allows this call' })
  })

  it.each(calls)('is allowed in acceptAll mode for %s', async (toolName, input) => {
    expect(await typeOf(check(toolName, input, { mode: 'acceptAll' }))).toBe('allow')
  })

  it.each(calls)('is not executed in plan mode for %s, regardless of the rules', async (toolName, input) => {
    const answer = await check(toolName, input, { mode: 'plan', allow: [toolName], session: [toolName] })
    expect(answer).toMatchObject({ type: 'deny', rule: 'plan mode: nothing is executed' })
  })

  it.each(calls)('needs approval in acceptEdits mode for %s unless it writes a file', async (toolName, input) => {
    const expected = toolName === 'Write' || toolName === 'Edit' ? 'allow' : 'ask'
    expect(await typeOf(check(toolName, input, { mode: 'acceptEdits' }))).toBe(expected)
  })

  it('is checked against deny rules before session rules, and those before the agent file', async () => {
    const setting: Setting = { mode: 'manual', allow: ['Bash(npm *)'], session: ['Bash(npm test)'] }
    expect(await bash('npm test', { ...setting, deny: ['Bash(npm test)'] })).toMatchObject({
      type: 'deny',
      rule: 'approvals.deny: Bash(npm test)',
    })
    expect(await bash('npm test', setting)).toMatchObject({ rule: 'allowed for this session: Bash(npm test)' })
    expect(await bash('npm run x', setting)).toMatchObject({ rule: 'approvals.allow: Bash(npm *)' })
    expect(await typeOf(bash('ls', setting))).toBe('ask')
  })

  it('is checked against deny rules even in acceptAll mode', async () => {
    expect(await typeOf(bash('git push', { deny: ['Bash(git push *)'] }))).toBe('deny')
    expect(await typeOf(bash('bash -c "git push"', { deny: ['Bash(git push *)'] }))).toBe('deny')
  })

  it('is asked for with the reason, the effects and a rule that would allow it', async () => {
    expect(await bash('rm src/a.ts', { mode: 'manual' })).toEqual({
      type: 'ask',
      widerRules: [],
      rule: 'no rule allows this call',
      effects: ['write', 'irreversible'],
      sessionRule: { tool: 'Bash', pattern: 'rm src/a.ts' },
      input: { command: 'rm src/a.ts' },
    })
  })

  it('is allowed through a link by session rules only if both ends match', async () => {
    const read = (file_path: string) => check('Read', { file_path }, { mode: 'manual', session: ['Read(alias/*)'] })
    expect(await typeOf(read('alias/plain'))).toBe('ask')
  })

  it('is denied through a link by its target', async () => {
    expect(await typeOf(check('Read', { file_path: 'alias/plain' }, { deny: ['Read(data/*)'] }))).toBe('deny')
  })

  it('may be named Task instead of Agent', async () => {
    expect(await check('Task', { subagent_type: 'x' }, { mode: 'manual' })).toMatchObject({
      sessionRule: { tool: 'Agent', pattern: 'x' },
    })
  })
})

describe('messages for the agent', () => {
  it('suggest a rule for the whole tool if it is an MCP tool', () => {
    const sessionRule = { tool: 'mcp__every__echo', pattern: '{"message":"hi"}' }
    const sentence = noPersonToAskSentence({ toolName: 'mcp__every__echo', toolInput: { message: 'hi' } }, sessionRule)
    expect(sentence).toContain("`approvals: {allow: ['mcp__every__echo']}`")
  })

  it('explain how to allow a call when no person can be asked', async () => {
    const answer = await bash("echo 'it''s *'", { mode: 'manual' })
    if (answer.type !== 'ask') throw new Error('not asked')
    const sentence = noPersonToAskSentence({ toolName: 'Bash', toolInput: {} }, answer.sessionRule)
    expect(sentence).toContain(
      "Denied: Bash needs an approval and no person can be asked here. To allow it, put `approvals: {allow: ['Bash(echo ''it''''s \\*'')']}`",
    )
  })
})

it('rejects when the check itself fails, so that the gate denies and logs it', async () => {
  const permissions = createPermissionCheck({
    sessionTools: allSessionTools,
    claude: { ...everything, workingDirectory: project.cwd },
    cwd: project.cwd,
    approvals: { allow: [], deny: [], expiresAfterMs: null },
    hiddenPaths: [],
  })
  const hostile = {
    toolName: 'Bash',
    get toolInput(): Record<string, unknown> {
      throw new Error('no input')
    },
  }
  await expect(permissions.check(hostile, { mode: 'acceptAll', sessionRules: [] })).rejects.toThrow('no input')
})
