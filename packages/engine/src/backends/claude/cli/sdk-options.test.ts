import { describe, expect, it } from 'vitest'
import { allSessionTools } from '../../../permissions/tools/session-tools.ts'
import { trustedAgent } from '../testing/trusted-agent.fixture.ts'
import { claudeFolders } from './claude-folders.ts'
import { cliEnvironment, defaultRequestRetryPolicy } from './cli-environment.ts'
import { sdkOptions } from './sdk-options.ts'

const session = {
  model: 'claude-haiku-4-5',
  cwd: '/project',
  limits: { maxTurns: 7, maxBudgetUsd: 2, maxDurationMs: 1000 },
  permissionMode: 'acceptAll',
  resume: null,
  thinking: null,
  subagentModel: null,
  sessionTools: allSessionTools,
} as const

describe('sdkOptions', () => {
  const options = sdkOptions(trustedAgent('/project', {}), ['Bash', 'Read'], session)

  it('never passes an option that would bypass the gate', () => {
    expect(options).not.toHaveProperty('allowedTools')
    expect(options).not.toHaveProperty('allowDangerouslySkipPermissions')
    expect(options.permissionMode).toBe('default')
  })

  it('always names the model, both limits and the exact tools', () => {
    expect(options).toMatchObject({ model: 'claude-haiku-4-5', maxTurns: 7, maxBudgetUsd: 2, tools: ['Bash', 'Read'] })
    expect(options.settingSources).toEqual([])
  })

  it('gives a subagent only tools that its lead has', () => {
    const claude = { agents: { helper: { description: 'd', prompt: 'p', tools: ['Read', 'WebSearch'], model: null } } }
    const { agents } = sdkOptions(trustedAgent('/project', { claude }), ['Bash', 'Read'], session)
    expect(agents?.helper).toEqual({ description: 'd', prompt: 'p', tools: ['Read'], model: 'inherit' })
  })

  it('disables thinking unless the session enables it', () => {
    expect(options.thinking).toEqual({ type: 'disabled' })
    const thinking = { budgetTokens: 4000 }
    const asked = sdkOptions(trustedAgent('/project', {}), [], { ...session, thinking })
    expect(asked.thinking).toMatchObject({ type: 'enabled', budgetTokens: 4000 })
  })

  it('gives a subagent without a model the subagent model of the session', () => {
    const helper = { description: 'd', prompt: 'p', tools: null, model: null }
    const claude = { agents: { helper, own: { ...helper, model: 'claude-opus-4-5' } } }
    const withSubagentModel = { ...session, subagentModel: 'claude-haiku-4-5' }
    const { agents } = sdkOptions(trustedAgent('/project', { claude }), [], withSubagentModel)
    expect(agents?.helper?.model).toBe('claude-haiku-4-5')
    expect(agents?.own?.model).toBe('claude-opus-4-5')
  })

  it('appends the instructions of the session to those of the file', () => {
    const sessionTools = { instructions: 'Only sites.', has: () => true }
    const agent = trustedAgent('/project', {})
    const plain = sdkOptions({ ...agent, instructions: { type: 'text', text: 'Be brief.' } }, [], {
      ...session,
      sessionTools,
    })
    expect(plain.systemPrompt).toBe('Be brief.\n\nOnly sites.')
    const preset = { type: 'preset', preset: 'claude_code', append: 'Be kind.' } as const
    const appended = sdkOptions({ ...agent, instructions: preset }, [], { ...session, sessionTools })
    expect(appended.systemPrompt).toMatchObject({ preset: 'claude_code', append: 'Be kind.\n\nOnly sites.' })
  })

  it('uses the SDK’s plan mode when the session is in plan mode', () => {
    const planning = { ...session, permissionMode: 'plan' } as const
    expect(sdkOptions(trustedAgent('/project', {}), [], planning).permissionMode).toBe('plan')
  })
})

describe('cliEnvironment', () => {
  it('contains only the listed variables and nothing of the server’s environment', () => {
    const environment = cliEnvironment({
      agent: trustedAgent('/project', {}),
      folders: claudeFolders('/data/claude/ses_one'),
      scratch: '/data/claude/scratch/1',
      modelAccess: { type: 'gateway', baseUrl: 'http://127.0.0.1:1', token: 'token-of-this-session' },
      path: '/usr/bin',
      marker: 'mark',
      subagentModel: 'claude-haiku-4-5',
      retryPolicy: defaultRequestRetryPolicy,
    })
    expect(Object.keys(environment).sort()).toEqual([
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'API_TIMEOUT_MS',
      'CLAUDE_AGENT_SDK_CLIENT_APP',
      'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS',
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
      'CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS',
      'CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS',
      'CLAUDE_CODE_MAX_RETRIES',
      'CLAUDE_CODE_SUBAGENT_MODEL',
      'CLAUDE_CONFIG_DIR',
      'HOME',
      'LANG',
      'PATH',
      'QUARTERDECK_PROCESS',
      'TERM',
      'TMPDIR',
    ])
    expect(environment.ANTHROPIC_API_KEY).toBe('token-of-this-session')
  })
})
