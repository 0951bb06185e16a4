import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentHook, AgentTool, JsonObject, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bareIsolation } from '../backends/claude/testing/bare-isolation.fixture.ts'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import type { Isolation } from '../isolation/sandbox-command.ts'
import { silentLogger } from '../ports/logger.ts'
import { testAgent } from '../testing/agent-definition.fixture.ts'
import { createAgentHooks } from './agent-hooks.ts'
import { createHookPoints } from './create-hook-points.ts'
import { joinHooks } from './join-hooks.ts'

const sessionId = 'ses_hooked0' as SessionId // a literal that matches the id's shape
const context = { sessionId, signal: new AbortController().signal }
const call = (tool_name: string, tool_input: JsonObject = {}) => ({
  hook_event_name: 'PreToolUse',
  tool_name,
  tool_input,
})
const decided = (permissionDecision: string, permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
})
const lookup: AgentTool = { type: 'skill', name: 'lookup', description: '', isCritical: false, folder: '/skills' }

interface Setting {
  readonly env?: Readonly<Record<string, string>>
  readonly isolation?: Isolation
}

type HooksHere = (failureText: { readonly token: string }) => readonly AgentHook[]

function open(given: readonly AgentHook[] | HooksHere, { env = {}, isolation }: Setting = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-hooks-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const token = join(folder, 'data', 'token')
  mkdirSync(join(folder, 'data'))
  writeFileSync(token, '{"sees":"the token"}')
  const hooks = typeof given === 'function' ? given({ token }) : given
  const logged: Readonly<Record<string, unknown>>[] = []
  const collect = (facts: Readonly<Record<string, unknown>>) => void logged.push(facts)
  const source = createAgentHooks({
    dataDir: join(folder, 'data'),
    path: '/usr/local/bin:/usr/bin:/bin',
    redact: (text) => text.replaceAll('hunter2', '***'),
    logger: { ...silentLogger, info: collect, error: collect },
    hookSecrets: async () => hooks.map(() => env),
    ...(isolation !== undefined && { isolation: async () => isolation }),
  })
  return { hooks: source(testAgent(folder, { hooks: [...hooks], tools: [lookup] })), logged }
}

const hook = (action: AgentHook['action'], matcher: string | null = null, event = 'PreToolUse'): AgentHook => ({
  event,
  matcher,
  action,
})
type Script = Extract<AgentHook['action'], { type: 'script' }>
const script = (text: string, change: Partial<Script> = {}): Script => ({
  type: 'script',
  command: 'sh',
  args: ['-c', text],
  env: [],
  cwd: '/',
  timeoutMs: 30_000,
  ...change,
})

describe('hooks of an agent file', () => {
  it('hooks.action: log writes the event into the log without secrets, and decides nothing', async () => {
    const { hooks, logged } = open([hook({ type: 'log' })])
    expect(await hooks.run('PreToolUse', call('Bash', { command: 'login hunter2' }), context)).toEqual({})
    expect(logged).toMatchObject([{ sessionId, agent: 'tester', event: 'PreToolUse' }])
    expect(JSON.stringify(logged)).toContain('login ***')
  })

  it('hooks.action: reject refuses with its message, in the format of the event', async () => {
    const { hooks } = open([
      hook({ type: 'reject', message: 'not on Sundays' }),
      hook({ type: 'reject', message: 'no prompts' }, null, 'UserPromptSubmit'),
      hook({ type: 'reject', message: 'never' }, null, 'PermissionRequest'),
    ])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual(decided('deny', 'not on Sundays'))
    expect(await hooks.run('UserPromptSubmit', {}, context)).toEqual({ decision: 'block', reason: 'no prompts' })
    expect(await hooks.run('PermissionRequest', {}, context)).toMatchObject({
      hookSpecificOutput: { decision: { behavior: 'deny', message: 'never' } },
    })
  })

  it('hooks.action: modify merges its input over the call, and the next hook sees the result', async () => {
    const { hooks } = open([
      hook({ type: 'modify', input: { timeout: 5 } }),
      hook({ type: 'modify', input: { command: 'ls -l' } }),
    ])
    const output = await hooks.run('PreToolUse', call('Bash', { command: 'ls', cwd: '/' }), context)
    expect(output).toMatchObject({ hookSpecificOutput: { updatedInput: { command: 'ls -l', cwd: '/', timeout: 5 } } })
  })

  it.each([
    ['Bash', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Bash|Write', 'Write', true],
    ['mcp__.*', 'mcp__tools__lookup', true],
    ['lookup', 'mcp__tools__lookup', true],
    ['look', 'mcp__tools__lookup', false],
    ['Agent', 'Task', true],
    ['Task', 'Agent', true],
    ['.*', 'anything', true],
  ])('hooks.matcher: %j matches %s: %s', async (matcher, toolName, isMatch) => {
    const { hooks } = open([hook({ type: 'reject', message: 'no' }, matcher)])
    expect(Object.keys(await hooks.run('PreToolUse', call(toolName), context)).length > 0).toBe(isMatch)
  })

  it('hooks.matcher: refuses a call when matching its name takes too long', async () => {
    const { hooks } = open([hook({ type: 'log' }, '(a+)+')])
    const output = await hooks.run('PreToolUse', call(`${'a'.repeat(63)}_`), context)
    expect(output).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } })
  })

  it('hooks.event: handles only that event', () => {
    const { hooks } = open([hook({ type: 'log' }, null, 'Stop')])
    expect([hooks.hasListener('Stop'), hooks.hasListener('PreToolUse')]).toEqual([true, false])
  })

  it('run before engine hooks, which see the modified call, and the stricter decision wins', async () => {
    const { hooks } = open([hook({ type: 'modify', input: { command: 'ls' } })])
    const engineHooks = createHookPoints({ logger: silentLogger })
    const seen: unknown[] = []
    engineHooks.on('PreToolUse', ({ tool_input }) => {
      seen.push(tool_input)
      return decided('deny', 'the engine says no')
    })
    const output = await joinHooks(hooks, engineHooks).run('PreToolUse', call('Bash', { command: 'rm' }), context)
    expect(seen).toEqual([{ command: 'ls' }])
    expect(output).toMatchObject(decided('deny', 'the engine says no'))
  })
})

it('run before engine hooks, which see the modified result', async () => {
  const hide = `sed 's/.*"tool_response":"\\([^"]*\\)".*/\\1/; s/KEY/***/; s/.*/{"hookSpecificOutput":{"updatedToolOutput":"&"}}/'`
  const { hooks } = open([hook(script(hide), null, 'PostToolUse')])
  const engineHooks = createHookPoints({ logger: silentLogger })
  engineHooks.on('PostToolUse', ({ tool_response }) => ({
    hookSpecificOutput: { updatedToolOutput: String(tool_response).replace('NAME', '***') },
  }))
  const output = await joinHooks(hooks, engineHooks).run('PostToolUse', { tool_response: 'KEY NAME' }, context)
  expect(output).toEqual({ hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: '*** ***' } })
})

describe('hooks.action: script', () => {
  it('gets the event on stdin and decides with its output', async () => {
    const printedOutput = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`
    const { hooks } = open([hook(script(`grep -q '"tool_name":"Bash"' && printf '%s' '${printedOutput}'`))])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toMatchObject(JSON.parse(printedOutput))
  })

  it('decides nothing when it prints nothing', async () => {
    const { hooks } = open([hook(script('cat > /dev/null'))])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual({})
  })

  it('refuses with its stderr when it exits with 2', async () => {
    const { hooks } = open([hook(script('echo "no deletions" >&2; exit 2'))])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual(decided('deny', 'no deletions'))
  })

  it.each([
    ['{"permissionDecision":"deny"}', 'permissionDecision belongs inside hookSpecificOutput'],
    ['{"updatedInput":{"command":"ls"}}', 'updatedInput belongs inside hookSpecificOutput'],
    [
      '{"permission_decision":"deny"}',
      'permission_decision must be spelled permissionDecision and belongs inside hookSpecificOutput',
    ],
    ['{"Decision":"block"}', 'Decision must be spelled decision'],
    ['{"Continue":false}', 'Continue must be spelled continue'],
    [
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","stop_reason":"no"}}',
      'stop_reason must be spelled stopReason and belongs next to hookSpecificOutput, not inside it',
    ],
    ['{"additionalContext":"mind the gap"}', 'additionalContext belongs inside hookSpecificOutput'],
    [
      '{"hook_specific_output":{"permissionDecision":"deny"}}',
      'hook_specific_output must be spelled hookSpecificOutput',
    ],
    ['{"hookSpecificOutput":{"permission_decision":"deny"}}', 'permission_decision must be spelled permissionDecision'],
    ['{"hookSpecificOutput":{"decision":"block"}}', 'decision belongs next to hookSpecificOutput, not inside it'],
    ['{"hookSpecificOutput":{"continue":false}}', 'continue belongs next to hookSpecificOutput, not inside it'],
  ])('that prints %s refuses the call and reports what is wrong', async (printed, why) => {
    const { hooks, logged } = open([hook(script(`echo '${printed}'`))])
    const output = await hooks.run('PreToolUse', call('Bash'), context)
    expect(output).toEqual({ decision: 'block', reason: expect.stringMatching(`^hooks\\[0\\] .* ${why}$`) })
    expect(JSON.stringify(logged)).toContain(why)
  })

  it('that prints a key in the wrong place hides a result, and is only logged for other events', async () => {
    const action = script(`echo '{"updatedToolOutput":"***"}'`)
    const { hooks, logged } = open([hook(action, null, 'PostToolUse'), hook(action, null, 'Stop')])
    const output = await hooks.run('PostToolUse', { tool_response: 'a secret' }, context)
    expect(output).toMatchObject({ hookSpecificOutput: { updatedToolOutput: expect.stringContaining('[withheld: ') } })
    expect(await hooks.run('Stop', {}, context)).toEqual({})
    expect(logged).toHaveLength(2)
  })

  it('may set any optional key to null', async () => {
    const { hooks } = open([hook(script(`echo '{"permissionDecision":null,"reason":null}'`))])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual({})
  })

  const broken = decided(
    'deny',
    expect.stringMatching(/^hooks\[0\] of the agent file \(PreToolUse, (sh|no-such-program)\) failed: /),
  )
  it.each([
    ['exits with another code', script('echo oops >&2; exit 3')],
    ['prints something other than JSON', script('echo hello')],
    ['prints a list', script('echo []')],
    ['is not there', script('', { command: 'no-such-program', args: [] })],
    ['takes too long', script('sleep 60', { timeoutMs: 200 })],
  ])('that %s denies a tool call, and is only logged for other events', async (_, action) => {
    const { hooks, logged } = open([hook(action), hook(action, null, 'PostToolUse')])
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual(broken)
    expect(await hooks.run('PostToolUse', call('Bash'), context)).toEqual({})
    expect(logged).toHaveLength(2)
  })

  it('that prints unreadable output is named, and the result is withheld', async () => {
    const { hooks, logged } = open([hook(script(`echo '{"decision":"hide it"}'`), null, 'PostToolUse')])
    const failureText =
      'hooks[0] of the agent file (PostToolUse, sh) failed: a hook returned an invalid answer: decision'
    const output = await hooks.run('PostToolUse', { ...call('Bash'), tool_response: 'KEY' }, context)
    expect(output).toMatchObject({ hookSpecificOutput: { updatedToolOutput: `[withheld: ${failureText}]` } })
    expect(logged).toMatchObject([{ error: expect.stringContaining(failureText) }])
  })

  it('is ended or not started when its answer is no longer needed, which is not a failure', async () => {
    const interrupted = new AbortController()
    const { hooks, logged } = open([hook(script('sleep 60'))])
    const running = hooks.run('PreToolUse', call('Bash'), { sessionId, signal: interrupted.signal })
    setTimeout(() => interrupted.abort(), 300)
    expect(await running).toEqual(broken)
    expect(await hooks.run('PreToolUse', call('Bash'), { sessionId, signal: interrupted.signal })).toEqual(broken)
    expect(logged).toEqual([])
  })

  it('denies a tool call when its output stays open after it ended, because the output may be incomplete', async () => {
    const hold = 'setsid env -i sleep 6 & echo "{}"'
    const { hooks, logged } = open([hook(script(hold))], { isolation: bareIsolation })
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual(broken)
    expect(logged).toMatchObject([{ error: expect.stringMatching(/sh ended, but its output stayed open$/) }])
  })

  it('gets its declared variables, PATH and HOME, and no others', async () => {
    const print = `printf '{"names":"%s"}' "$(env | cut -d= -f1 | grep -v '^_$\\|^PWD$\\|^SHLVL$\\|^OLDPWD$' | sort | tr '\\n' ' ')"`
    const env = { TOKEN: 'hunter2', UNDECLARED: 'x' }
    const { hooks } = open([hook(script(print, { env: ['TOKEN'] }))], { env })
    expect(await hooks.run('PreToolUse', call('Bash'), context)).toEqual({
      names: 'HOME PATH QUARTERDECK_PROCESS TOKEN ',
    })
  })

  it('cannot read the data folder of the server', async (test) => {
    if (!(await probeIsolation()).hidesFiles) return test.skip()
    const readTokenHooks = ({ token }: { readonly token: string }) => [
      hook(script(`cat ${token} 2>/dev/null || printf '{"sees":"nothing"}'`)),
    ]
    expect(await open(readTokenHooks).hooks.run('PreToolUse', call('Bash'), context)).toEqual({ sees: 'nothing' })
  })
})
