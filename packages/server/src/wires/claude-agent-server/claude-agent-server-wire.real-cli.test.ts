// An unchanged client of claude-agent-server on a compatibility listener with the real CLI.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApprovalId, SessionId } from '@quarterdeck/protocol'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../app/start-server.ts'
import { runtimeOptions } from '../../runtime/runtime.fixture.ts'
import { openOriginalClient } from './original-client.fixture.ts'

const agentFile = `name: hello
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
claude: { permission_mode: manual, bash: { enabled: true }, file_system: { read: true } }
approvals: { allow: [Read] }
`

const steps = [
  { then: { thinking: 'a file', text: 'I look.', tools: [{ name: 'Read', input: { file_path: 'notes.txt' } }] } },
  { then: { text: 'It says milk.' } },
  { then: { tools: [{ name: 'Bash', input: { command: 'echo no' } }] } },
  { then: { text: 'Then not.' } },
]

it('gets a whole session as from the SDK: streamed text, a call, an approval, and results that add up', async () => {
  const { createBackend: _, ...options } = await runtimeOptions()
  const folder = join(options.cwd, 'agents', 'hello')
  const scriptFile = join(options.cwd, 'script.yaml')
  await writeFile(join(folder, 'agent.yaml'), agentFile)
  await writeFile(join(folder, 'notes.txt'), 'remember the milk\n')
  await writeFile(scriptFile, JSON.stringify({ steps }))
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    runtime: { ...options, scriptFile },
    compatListeners: [{ wire: 'claude-agent-server', port: 0 }],
  })
  onTestFinished(server.close)
  const client = await openOriginalClient(server.compatListeners[0]?.url ?? '', {
    config: {
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be kind.' },
      includePartialMessages: true,
    },
  })

  client.say('What do my notes say?')
  const first = await client.result()
  expect(first).toMatchObject({ subtype: 'success', is_error: false, result: 'It says milk.', num_turns: 2 })
  expect(Number(first.total_cost_usd)).toBeGreaterThan(0)
  expect(first.usage).toMatchObject({ output_tokens: expect.any(Number) })
  const kinds = client.received().flatMap(({ type, subtype, message }) => {
    if (type === 'stream_event') return []
    if (type !== 'assistant' && type !== 'user') return [`${type}/${subtype}`]
    return (message as { content: { type: string }[] }).content.map((block) => `${type} ${block.type}`)
  })
  expect(kinds).toEqual([
    ...['system/init', 'assistant thinking', 'assistant text', 'assistant tool_use'],
    ...['user tool_result', 'assistant text', 'result/success'],
  ])
  expect(client.received()[0]).toMatchObject({
    model: expect.stringContaining('claude-'),
    tools: expect.arrayContaining(['Read']),
  })
  const streamed = client
    .received()
    .flatMap(({ type, event }) => (type === 'stream_event' ? [event as StreamedPart] : []))
  expect(streamed.map(({ delta }) => delta?.text ?? '').join('')).toBe('I look.It says milk.')
  expect(streamed.filter(({ type }) => type === 'message_start')).toHaveLength(2)
  expect(streamed.filter(({ type }) => type === 'message_stop')).toHaveLength(2)

  client.say('Run something.')
  await client.until(() => client.ofType('approval_request').length === 1)
  const approvalId = ApprovalId.parse(client.idOf('approval_request', 'approvalId'))
  await server.runtime.engine.sessions.decideApproval(approvalId, { decision: 'deny' }, 'operator')
  const second = await client.result(2)
  expect(second).toMatchObject({ subtype: 'success', result: 'Then not.', session_id: first.session_id })
  expect(second.permission_denials).toHaveLength(1)
  expect(Number(second.total_cost_usd)).toBeGreaterThan(Number(first.total_cost_usd))
  const { session } = await server.runtime.engine.sessions.getSession(SessionId.parse(first.session_id))
  expect(second.total_cost_usd).toBeCloseTo(session.costUsd, 10)
  await client.close()
})

interface StreamedPart {
  readonly type: string
  readonly delta?: { readonly text?: string }
}
