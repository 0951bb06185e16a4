import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { RunningServer } from '../../app/start-server.ts'
import { runtimeOptions, type Script } from '../../runtime/runtime.fixture.ts'
import { openOriginalClient } from './original-client.fixture.ts'
import { eventsOf, startWireServer } from './wire-server.fixture.ts'

/** The answer to each message; other messages are echoed. */
const script: Script = (input) => {
  switch (input) {
    case 'list':
      return [
        { type: 'thinking', text: 'Let me see.' },
        { type: 'text', chunks: ['I ', 'look.'] },
        { type: 'tool', name: 'Read', input: { file_path: 'a.txt' }, result: 'the file', toolUseId: 'toolu_read' },
        { type: 'text', chunks: ['One ', 'file.'] },
      ]
    case 'ask':
      return [
        { type: 'tool', name: 'Bash', input: { command: 'rm x' }, result: 'gone', toolUseId: 'toolu_rm' },
        { type: 'text', chunks: ['done'] },
      ]
    case 'question':
      return [
        {
          type: 'tool',
          name: 'AskUserQuestion',
          result: '',
          input: {
            questions: [
              {
                question: 'Which?',
                header: 'Which',
                multiSelect: false,
                options: [
                  { label: 'red', description: '' },
                  { label: 'blue', description: '' },
                ],
              },
            ],
          },
        },
        { type: 'text', chunks: ['thanks'] },
      ]
    case 'stall':
      return [{ type: 'stall', chunks: ['half ', 'a '] }]
    default:
      return [{ type: 'text', chunks: [`You said: ${input}`] }]
  }
}

let server: RunningServer
let compatUrl = ''
let authorization = ''

beforeAll(async () => {
  const runtime = await runtimeOptions(script)
  server = await startWireServer(runtime)
  compatUrl = server.compatListeners[0]?.url ?? ''
  authorization = `Bearer ${(await readFile(join(runtime.dataDir, 'token'), 'utf8')).trim()}`
})
afterAll(() => server.close())

const typesOf = (received: readonly { type: string; subtype?: string }[]) =>
  received.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`))

describe('a client of claude-agent-server on a compatibility listener', () => {
  it('configures, connects, asks, gets messages of the SDK and asks again', async () => {
    const client = await openOriginalClient(compatUrl, { config: { systemPrompt: 'Be kind.', debug: true } })
    expect(client.configReply).toEqual({ success: true, config: { systemPrompt: 'Be kind.', debug: true } })
    client.say('list')
    const result = await client.result()
    expect(typesOf(client.received())).toEqual([
      'system/init',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'assistant',
      'result/success',
    ])
    expect(client.received()[0]).toMatchObject({
      permissionMode: 'default',
      tools: expect.any(Array),
      cwd: expect.any(String),
    })
    expect(client.received()[3]).toMatchObject({
      parent_tool_use_id: null,
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_read', name: 'Read' }] },
    })
    expect(client.received()[4]).toMatchObject({
      message: { role: 'user', content: [{ tool_use_id: 'toolu_read', content: 'the file', is_error: false }] },
    })
    expect(result).toMatchObject({
      is_error: false,
      result: 'One file.',
      num_turns: 1,
      total_cost_usd: expect.any(Number),
      permission_denials: [],
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
    })
    client.say([
      { type: 'text', text: 'two' },
      { type: 'text', text: 'blocks' },
    ])
    expect(await client.result(2)).toMatchObject({ result: 'You said: two\nblocks', session_id: result.session_id })
    expect(await eventsOf(server, result.session_id)).toContainEqual(
      expect.objectContaining({
        type: 'AgentSessionCreated',
        data: expect.objectContaining({ instructions: 'Be kind.', agentName: 'hello' }),
      }),
    )
    expect(client.frames.filter(({ type }) => type !== 'sdk_message')).toEqual([{ type: 'connected' }])
    await client.close()
  })

  it('interrupts without an answer, and gets the result of the stopped turn', async () => {
    const client = await openOriginalClient(compatUrl)
    client.send({ type: 'interrupt' })
    client.say('stall')
    // Before the turn has started: it still applies to it.
    client.send({ type: 'interrupt' })
    expect(await client.result()).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      errors: ['interrupted'],
    })
    client.say('on')
    expect(await client.result(2)).toMatchObject({ subtype: 'success', result: 'You said: on' })
    expect(client.ofType('error')).toEqual([])
    await client.close()
  })

  it('queues messages during a turn', async () => {
    const client = await openOriginalClient(compatUrl)
    client.say('stall')
    client.say('after')
    await client.until(() => client.received().length > 0)
    client.send({ type: 'interrupt' })
    expect(await client.result(2)).toMatchObject({ result: 'You said: after' })
    await client.close()
  })

  it('gets partial text only on request', async () => {
    const client = await openOriginalClient(compatUrl, { config: { includePartialMessages: true } })
    client.say('list')
    await client.result()
    const streamed = client
      .received()
      .flatMap((one) => (one.type === 'stream_event' ? [one.event as { type: string; delta?: { text?: string } }] : []))
    expect(streamed.map(({ delta }) => delta?.text ?? '').join('')).toBe('I look.One file.')
    expect(streamed[0]?.type).toBe('message_start')
    expect(streamed.at(-1)?.type).toBe('message_stop')
    await client.close()
  })

  it('gets a short 404 at other addresses, and 426 where a WebSocket is required', async () => {
    for (const path of ['/', '/v1/sessions', '/compat/claude-agent-server/config', '/config/x']) {
      const response = await fetch(`${compatUrl}${path}`)
      expect([response.status, await response.text()]).toEqual([404, 'Not Found'])
    }
    expect((await fetch(`${compatUrl}/config`, { method: 'DELETE' })).status).toBe(404)
    expect((await fetch(`${compatUrl}/ws`)).status).toBe(426)
  })
})

describe('sessions and connections', () => {
  it('each connection has its own session, which survives the connection', async () => {
    const [one, other] = await Promise.all([openOriginalClient(compatUrl), openOriginalClient(compatUrl)])
    one.say('one')
    other.say('other')
    const [first, second] = await Promise.all([one.result(), other.result()])
    expect(first.session_id).not.toBe(second.session_id)
    expect([first.result, second.result]).toEqual(['You said: one', 'You said: other'])
    one.say('stall')
    await one.until(() => one.received().filter(({ subtype }) => subtype === 'init').length === 2)
    await one.close()
    other.say('again')
    expect(await other.result(2)).toMatchObject({ result: 'You said: again' })

    const back = await openOriginalClient(compatUrl, { query: `?sessionId=${String(first.session_id)}` })
    await back.until(() => back.received().length > 0)
    expect(typesOf(back.received())).toEqual(['system/init'])
    back.send({ type: 'interrupt' })
    expect(await back.result()).toMatchObject({ session_id: first.session_id, subtype: 'error_during_execution' })
    await Promise.all([back.close(), other.close()])
  })

  it('a connection without messages starts no session', async () => {
    const before = (await server.runtime.engine.sessions.listSessions({ limit: 200 })).sessions.length
    const client = await openOriginalClient(compatUrl)
    await client.close()
    expect((await server.runtime.engine.sessions.listSessions({ limit: 200 })).sessions).toHaveLength(before)
  })

  it('the main port requires a token', async () => {
    const base = `${server.url}/compat/claude-agent-server`
    expect((await fetch(`${base}/config`)).status).toBe(401)
    const client = await openOriginalClient(base, { config: { model: 'nonsense' }, headers: { authorization } })
    client.say('hi')
    await client.until(() => client.ofType('error').length > 0)
    expect(client.ofType('error')[0]).toMatchObject({
      error: expect.stringContaining('"nonsense"'),
      data: expect.stringContaining('"nonsense"'),
    })
    const changed = await fetch(`${base}/config`, {
      method: 'POST',
      headers: { authorization },
      body: '{"model":"low"}',
    })
    expect(changed.status).toBe(200)
    client.say('hi')
    expect(await client.result()).toMatchObject({ result: 'You said: hi' })
    await client.close()

    const stranger = new WebSocket(`${base.replace('http', 'ws')}/ws?sessionId=ses_nobody0000`, {
      headers: { authorization },
    })
    const [refused] = await once(stranger, 'error')
    expect(String(refused)).toContain('404')
  })
})

describe('an ask', () => {
  const openWithKey = (query = '') =>
    openOriginalClient(`${server.url}/compat/claude-agent-server`, { headers: { authorization }, query })

  it('is shown on a compatibility listener, and decided with a key', async () => {
    const client = await openOriginalClient(compatUrl)
    client.say('ask')
    await client.until(() => client.ofType('approval_request').length === 1)
    const approvalId = client.idOf('approval_request', 'approvalId')
    client.send({ type: 'approval_response', data: { approvalId, decision: 'allow' } })
    await client.until(() => client.ofType('error').length === 1)
    expect(client.ofType('error')[0]?.error).toMatch(
      /^clients of a compatibility listener have no key and cannot decide: /,
    )
    const admin = await openWithKey(`?sessionId=${String(client.received()[0]?.session_id)}`)
    await admin.until(() => admin.ofType('approval_request').length === 1)
    admin.send({ type: 'approval_response', data: { approvalId, decision: 'allow' } })
    expect(await client.result()).toMatchObject({ subtype: 'success', result: 'done' })
    await Promise.all([admin.close(), client.close()])
  })

  it('is an additional frame, answered by one', async () => {
    const client = await openWithKey()
    client.say('ask')
    await client.until(() => client.ofType('approval_request').length === 1)
    const approvalId = client.idOf('approval_request', 'approvalId')
    expect(client.ofType('approval_request')[0]?.data).toMatchObject({
      toolName: 'Bash',
      toolUseId: 'toolu_rm',
      toolInput: { command: 'rm x' },
      parentToolUseId: null,
    })
    const other = await openWithKey()
    other.send({ type: 'approval_response', data: { approvalId, decision: 'allow' } })
    await other.until(() => other.ofType('error').length === 1)
    await other.close()
    client.send({ type: 'approval_response', data: { approvalId, decision: 'deny', note: 'leave it' } })
    expect(await client.result()).toMatchObject({ subtype: 'success', result: 'done' })
    expect(client.received().find(({ type }) => type === 'user')).toMatchObject({
      message: { content: [{ is_error: true, content: expect.stringContaining('leave it') }] },
    })
    client.send({ type: 'approval_response', data: { approvalId, decision: 'allow' } })
    await client.until(() => client.ofType('error').length === 1)
    expect(client.ofType('approval_settled')).toEqual([
      { type: 'approval_settled', data: { approvalId, decision: 'deny' } },
    ])
    await client.close()
  })

  it('is sent again to a client that joins, questions too', async () => {
    const asked = await openWithKey()
    asked.say('question')
    await asked.until(() => asked.ofType('question').length === 1)
    const sessionId = String(asked.received()[0]?.session_id)
    await asked.close()
    const client = await openWithKey(`?sessionId=${sessionId}`)
    await client.until(() => client.ofType('question').length === 1)
    const questionId = client.idOf('question', 'questionId')
    client.send({ type: 'question_response', data: { questionId, answers: { 'Which?': 'blue' } } })
    expect(await client.result()).toMatchObject({ result: 'thanks' })
    expect(client.ofType('question_settled')).toEqual([
      { type: 'question_settled', data: { questionId, how: 'answered' } },
    ])
    await client.close()
  })
})
