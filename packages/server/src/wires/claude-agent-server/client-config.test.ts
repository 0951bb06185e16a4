import type { AgentDefinition } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { ZodError } from 'zod'
import { readClientConfig } from './client-config.ts'
import { oneOf, randomFrom, randomObject } from './random-json.fixture.ts'

const agent = (permissionMode: AgentDefinition['claude']['permissionMode']) =>
  // Only these fields are used.
  ({ claude: { permissionMode }, limits: { maxTurns: 10, maxBudgetUsd: 1, maxDurationMs: 1000 } }) as AgentDefinition

const overridesOf = (posted: object, mode: AgentDefinition['claude']['permissionMode'] = 'acceptEdits') =>
  readClientConfig(posted).settle(agent(mode))

describe('the configuration of a client', () => {
  it('narrows the agent file: fewer tools, a model, more instructions, smaller limits, a stricter mode', () => {
    const posted = {
      allowedTools: ['Read'],
      model: 'haiku',
      systemPrompt: 'Be kind.',
      maxTurns: 3,
      maxBudgetUsd: 5,
      permissionMode: 'default',
    }
    expect(overridesOf(posted)).toEqual({
      overrides: {
        allowedTools: ['Read'],
        model: 'haiku',
        instructions: 'Be kind.',
        permissionMode: 'manual',
        limits: { maxTurns: 3, maxBudgetUsd: 1 },
      },
      notApplied: {},
    })
  })

  it('appends the text for a preset to the instructions of the agent file', () => {
    expect(
      overridesOf({ systemPrompt: { type: 'preset', preset: 'claude_code', append: 'And this.' } }).overrides
        .instructions,
    ).toBe('And this.')
    expect(overridesOf({ systemPrompt: { type: 'preset', preset: 'claude_code' } }).overrides).not.toHaveProperty(
      'instructions',
    )
  })

  it('never gets a mode that allows more than the agent file, nor an unsupported one', () => {
    for (const permissionMode of ['acceptEdits', 'bypassPermissions', 'dontAsk', 'auto', '__proto__', 'constructor']) {
      const { overrides, notApplied } = overridesOf({ permissionMode }, 'manual')
      expect(overrides).not.toHaveProperty('permissionMode')
      expect(notApplied).toEqual({ permissionMode: expect.any(String) })
    }
    expect(overridesOf({ permissionMode: 'plan' }, 'manual').overrides.permissionMode).toBe('plan')
  })

  it('is refused if it asks for a restriction that cannot be enforced', () => {
    expect(() => readClientConfig({ disallowedTools: ['Bash'] })).toThrow('list the allowed tools in allowedTools')
    expect(() => readClientConfig({ disallowedTools: 'Bash' })).toThrow(ZodError)
    expect(overridesOf({ disallowedTools: [] }).notApplied).toEqual({})
  })

  it('lists every field without effect, except those for the client library itself', () => {
    const { notApplied } = overridesOf({
      agents: {},
      cwd: '/',
      hooks: {},
      resume: 'x',
      template: 't',
      timeoutMs: 1,
      debug: true,
    })
    expect(Object.keys(notApplied).sort()).toEqual(['agents', 'cwd', 'hooks', 'resume'])
  })

  it('is returned with the names, kinds and hosts of its servers, and nothing else of them', () => {
    const { shown } = readClientConfig({
      connectionUrl: 'https://sandbox.example/x?token=qd-made-up-1',
      mcpServers: {
        docs: { type: 'http', url: 'https://mcp.example/s/qd-made-up-2/mcp', headers: { 'x-one': 'qd-made-up-3' } },
        local: { type: 'stdio', command: ['npx', 'srv', '--token', 'qd-made-up-4'], note: null },
        odd: { type: 'qd-made-up-5', url: 'qd:made-up-6' },
      },
      agents: { helper: { mcpServers: ['qd-made-up-7'], prompt: 'Help with https://docs.example/guide' } },
    })
    expect(shown).toEqual({
      connectionUrl: 'https://sandbox.example/x',
      mcpServers: {
        docs: { type: 'http', url: 'https://mcp.example', headers: '[redacted]' },
        local: { type: 'stdio', command: '[redacted]', note: null },
        odd: { type: '[redacted]', url: '[redacted]' },
      },
      agents: { helper: { mcpServers: ['[redacted]'], prompt: 'Help with https://docs.example/guide' } },
    })
  })

  it('only narrows, even with random fields, and its secrets are not stored', () => {
    const names = [
      ...(['allowedTools', 'systemPrompt', 'model', 'permissionMode', 'maxTurns', 'maxBudgetUsd', 'agents'] as const),
      ...[
        'mcpServers',
        'headers',
        'env',
        'anthropicApiKey',
        'authToken',
        'url',
        'args',
        '__proto__',
        'hooks',
        'limits',
      ],
    ] as const
    let understood = 0
    for (let seed = 0; seed < 2000; seed += 1) {
      const random = randomFrom(seed)
      const secret = `qd-made-up-${seed}-secret`
      const posted = {
        ...randomObject(random, [...names]),
        ...oneOf(random, secretPlaces)(secret),
        again: [`x ${secret}`],
      }
      try {
        const config = readClientConfig(posted)
        const { overrides } = config.settle(agent('manual'))
        expect(['plan', 'manual', undefined]).toContain(overrides.permissionMode)
        expect(overrides.limits?.maxTurns).toBeLessThanOrEqual(10)
        expect(overrides.limits?.maxBudgetUsd).toBeLessThanOrEqual(1)
        expect(Object.keys(overrides).filter((name) => !options.has(name))).toEqual([])
        expect(JSON.stringify(config.shown)).not.toContain(secret)
        understood += 1
      } catch (error) {
        if (!(error instanceof ZodError)) throw error
      }
    }
    expect(understood).toBeGreaterThan(200)
  })
})

const inServers = (server: unknown) => ({ mcpServers: { docs: server } })

/** Places where a key may occur. */
const secretPlaces: readonly [(secret: string) => object, ...((secret: string) => object)[]] = [
  (secret) => ({ anthropicApiKey: secret }),
  (secret) => ({ authToken: secret }),
  (secret) => ({ myPassword: secret }),
  (secret) => ({ connectionUrl: `https://sandbox.example/x?token=${secret}` }),
  (secret) => ({ hooks: { Stop: [{ hooks: [{ type: 'command', command: `curl -d ${secret} x` }] }] } }),
  (secret) => inServers({ type: 'http', url: `https://mcp.example/s/${secret}/mcp` }),
  (secret) => inServers({ type: 'http', url: `https://me:${secret}@mcp.example/` }),
  (secret) => inServers({ type: secret }),
  (secret) => inServers({ command: ['npx', 'srv', '--token', secret] }),
  (secret) => inServers({ command: `npx srv --api-key=${secret}` }),
  (secret) =>
    inServers({ command: 'npx', args: ['srv', { deep: [secret] }], headers: { 'x-one': `Bearer ${secret}` } }),
  (secret) => inServers(secret),
  (secret) => inServers([secret]),
  (secret) => ({ mcpServers: [`https://mcp.example/?token=${secret}`, [secret], { docs: secret }] }),
  (secret) => ({ agents: { helper: { mcpServers: [secret, { docs: { url: `https://mcp.example/${secret}` } }] } } }),
]

const options = new Set(['instructions', 'allowedTools', 'model', 'permissionMode', 'limits'])
