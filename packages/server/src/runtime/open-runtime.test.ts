import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StreamedEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { openRuntime, type RuntimeOptions } from './open-runtime.ts'
import { noIsolation, runtimeOptions } from './runtime.fixture.ts'

const agentFile = `name: late
model: { provider: anthropic, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: acceptAll, i_understand_this_is_unsafe: true, bash: { enabled: true } }
`

it('an agent that is added while the server runs keeps its current and previous key out of the log', async () => {
  const keys = ['made-up-first-key', 'made-up-second-key']
  const tool = { type: 'tool', name: 'Bash', input: { command: `x ${keys}` }, result: () => keys.join(' ') } as const
  const options = await runtimeOptions([[{ type: 'text', chunks: ['it is made-up', '-second-key'] }, tool]])
  const runtime = await openRuntime({ ...options, role: 'server', address: null, canAsk: true })
  const folder = join(options.cwd, 'agents', 'late')
  await mkdir(folder)
  await writeFile(join(folder, 'agent.yaml'), agentFile)

  const talk = async (key: string): Promise<string> => {
    await writeFile(join(folder, '.env'), `ANTHROPIC_API_KEY=${key}\n`)
    const { sessionId } = await runtime.engine.sessions.createSession({ agent: 'late', message: `use ${keys}` }, 'ana')
    const seen: StreamedEvent[] = []
    for await (const event of runtime.engine.sessions.follow(sessionId, 0, new AbortController().signal)) {
      seen.push(event)
      if (event.type === 'TurnEnded') break
    }
    expect(seen.map(({ type }) => type)).toContain('ToolExecuted')
    return JSON.stringify(seen)
  }

  const [first = '', second = ''] = keys
  expect(await talk(first)).not.toContain(first)
  const later = await talk(second)
  expect(later).toContain('[redacted]')
  expect(later).not.toContain(first)
  expect(later).not.toContain(second)
  await runtime.close()
})

const open = (options: Omit<RuntimeOptions, 'role' | 'address' | 'canAsk'>) =>
  openRuntime({ ...options, isolation: async () => noIsolation, role: 'server', address: null, canAsk: true })

it('refuses a session of an agent with a shell where namespaces are missing, unless the operator allows it', async () => {
  const options = await runtimeOptions([[{ type: 'text', chunks: ['hello'] }]])
  const refusing = await open({ ...options, allowUnsandboxed: false })
  await expect(refusing.engine.sessions.createSession({ agent: 'hello' }, 'ana')).rejects.toMatchObject({
    code: 'agent.unsandboxed',
    message: expect.stringMatching(/agent "hello".*no namespaces here.*a shell \(Bash\).*--allow-unsandboxed/),
  })
  await refusing.close()
  const allowing = await open({ ...options, allowUnsandboxed: true })
  expect(await allowing.engine.sessions.createSession({ agent: 'hello' }, 'ana')).toHaveProperty('sessionId')
  await allowing.close()
})
