// The names of the execution contract (seeds 000 §4 to §8 and 002), each with a test that carries it. The contract
// suite tests them on every backend; here one backend shows what each name means.
import { ExecutionResult, errorReasons, executionResultToJson } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import type { SessionOptions } from './backend.ts'
import {
  BackendBudgetError,
  BackendError,
  BackendInitError,
  BackendSessionError,
  BackendTimeoutError,
} from './backend-errors.ts'
import { collect } from './contract/backend-events.contract.ts'
import { makeTestFolder, optionsOf } from './contract/backend-harness.contract.ts'
import { createScriptedBackend } from './scripted/create-scripted-backend.ts'
import type { Script, Step } from './scripted/script.ts'

const text = (...chunks: string[]): Step => ({ type: 'text', chunks })
const look: Step = { type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'notes.txt', toolUseId: 'toolu_1' }
const failing: Step = { ...look, result: 'no such folder', isError: true }
const limit = (which: 'turns' | 'time'): Step => ({ type: 'limit', limit: which })

function open(script: Script, change: Partial<SessionOptions> = {}) {
  const backend = createScriptedBackend({ script })
  const modelAccess = { type: 'gateway', baseUrl: 'http://127.0.0.1:9', token: 'none' } as const
  const sessionOptions = { cwd: makeTestFolder(), model: 'a-model', modelSource: 'simulator', modelAccess } as const
  const options = optionsOf(
    { backend, options: sessionOptions, crash: async () => undefined, close: backend.teardown },
    change,
  )
  return { backend, options, session: () => backend.createSession(options) }
}

async function sent(...steps: readonly Step[]): Promise<ExecutionResult> {
  return (await open([steps]).session()).send('hi')
}

describe('ExecutionResult (seed 000 §4, seed 002)', () => {
  const plain = ExecutionResult.parse({ response: 'done' })

  it('ExecutionResult.response: is the agent’s final text', async () => {
    expect((await sent(text('let me see'), look, text('one ', 'file'))).response).toBe('one file')
  })

  it('ExecutionResult.tool_calls: have name, arguments and call_id; none by default', async () => {
    const { toolCalls } = await sent(look, text('done'))
    expect(toolCalls).toEqual([{ name: 'Bash', arguments: { command: 'ls' }, callId: 'toolu_1' }])
    expect(executionResultToJson(await sent(look)).tool_calls).toEqual([
      { name: 'Bash', arguments: { command: 'ls' }, call_id: 'toolu_1' },
    ])
    expect(plain.toolCalls).toEqual([])
  })

  it('ExecutionResult.tool_results: have call_id, result and is_error; none by default', async () => {
    expect(executionResultToJson(await sent(look)).tool_results).toEqual([
      { call_id: 'toolu_1', result: 'notes.txt', is_error: false },
    ])
    expect(plain.toolResults).toEqual([])
  })

  it('ExecutionResult.token_usage: counts input, output and their total, in both spellings; zero by default', async () => {
    const result = await sent({ type: 'usage', input: 450, output: 180 }, text('done'))
    expect(executionResultToJson(result).token_usage).toMatchObject({
      input_tokens: 450,
      output_tokens: 180,
      total_tokens: 630,
      prompt_tokens: 450,
      completion_tokens: 180,
    })
    expect(executionResultToJson(plain).token_usage.total_tokens).toBe(0)
  })

  it('ExecutionResult.structured_output: is null unless response_format is configured', async () => {
    expect((await sent(text('done'))).structuredOutput).toBeNull()
    expect(plain.structuredOutput).toBeNull()
  })

  it('ExecutionResult.num_turns: counts the iterations of the loop; one by default', async () => {
    expect((await sent(text('done'))).numTurns).toBe(1)
    expect(plain.numTurns).toBe(1)
  })

  it('ExecutionResult.is_error: is false for a successful turn and by default', async () => {
    expect((await sent(text('done'))).isError).toBe(false)
    expect(plain.isError).toBe(false)
  })

  it('ExecutionResult.error_reason: is null for a successful turn and by default; otherwise a message', async () => {
    expect((await sent(text('done'))).errorReason).toBeNull()
    expect(plain.errorReason).toBeNull()
    expect(await sent({ type: 'fail', reason: 'overloaded' })).toMatchObject({
      isError: true,
      errorReason: 'overloaded',
    })
  })
})

describe('error_reason (seed 002)', () => {
  it('error_reason "max_turns limit reached": the agent hit its max_turns', async () => {
    expect(await sent(limit('turns'))).toMatchObject({ isError: true, errorReason: 'max_turns limit reached' })
  })

  it('error_reason "subprocess terminated unexpectedly": the process crashed', async () => {
    const error = await sent({ type: 'crash' }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BackendSessionError)
    expect(error).toMatchObject({ result: { isError: true, errorReason: 'subprocess terminated unexpectedly' } })
  })

  it('error_reason "tool execution failed: <name>": a critical tool failed', () => {
    // Tested on every backend: `describeReasons` in reasons.contract.ts.
    expect(errorReasons.toolFailed('pay')).toBe('tool execution failed: pay')
  })

  it('error_reason "timeout exceeded": the agent exceeded its timeout', async () => {
    const error = await sent(limit('time')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BackendTimeoutError)
    expect(error).toMatchObject({ result: { isError: true, errorReason: 'timeout exceeded' } })
  })
})

describe('AgentSession (seed 000 §5, seed 002)', () => {
  it('AgentSession.send: returns the complete result of one message and remembers earlier ones', async () => {
    const script: Script = (input, _turn, earlier) => [text(`${earlier.length} before ${input}`)]
    const session = await open(script).session()
    expect((await session.send('one')).response).toBe('0 before one')
    expect((await session.send('two')).response).toBe('1 before two')
  })

  it('AgentSession.send_streaming: streams the text as it arrives', async () => {
    const session = await open([[text('one ', 'two ', 'three')]]).session()
    expect(await collect(session.sendStreaming('hi'))).toEqual(['one ', 'two ', 'three'])
  })

  it('AgentSession.close: releases the session and can be called twice', async () => {
    const session = await open([[text('done')]]).session()
    await session.close()
    await session.close()
    await expect(session.send('hi')).rejects.toThrow(BackendSessionError)
  })
})

describe('AgentBackend (seed 000 §6, seed 002)', () => {
  it('AgentBackend.initialize: is required first and can be called twice', async () => {
    const { backend, session } = open([[text('done')]])
    await backend.initialize()
    await backend.initialize()
    expect((await (await session()).send('hi')).response).toBe('done')
  })

  it('AgentBackend.invoke_once: is a separate conversation each time, with earlier messages prepended', async () => {
    const script: Script = (input, _turn, earlier) => [text(`${earlier.length} before ${input}`)]
    const { backend, options } = open(script)
    expect((await backend.invokeOnce('one', options)).response).toBe('0 before one')
    expect((await backend.invokeOnce('two', options)).response).toBe('0 before two')
    const context = [{ role: 'user', content: 'I am Ada' }] as const
    expect((await backend.invokeOnce('who am I?', options, context)).response).toContain('I am Ada')
  })

  it('AgentBackend.create_session: creates independent sessions', async () => {
    const script: Script = (_input, _turn, earlier) => [text(String(earlier.length))]
    const { session } = open(script)
    const [one, other] = [await session(), await session()]
    await one.send('hi')
    expect((await other.send('hi')).response).toBe('0')
  })

  it('AgentBackend.teardown: releases every session', async () => {
    const { backend, session } = open([[text('done')]])
    const opened = await session()
    await backend.teardown()
    await expect(opened.send('hi')).rejects.toThrow(BackendSessionError)
  })
})

describe('the lifecycle of a session (seed 000 §8)', () => {
  it('[Ready] → send() → [Processing] → [Ready]: one turn at a time', async () => {
    const session = await open([[text('one')], [text('two')]]).session()
    const first = session.send('hi')
    await expect(session.send('me too')).rejects.toThrow(BackendSessionError)
    expect((await first).response).toBe('one')
    expect((await session.send('hi')).response).toBe('two')
  })

  it('[Ready] → send_streaming() → [Streaming] → [Ready]', async () => {
    const session = await open([[text('one')], [text('two')]]).session()
    for await (const _ of session.sendStreaming('hi'))
      await expect(session.send('now')).rejects.toThrow(BackendSessionError)
    expect((await session.send('hi')).response).toBe('two')
  })

  it('[Processing] → subprocess crash → [Closed]: throws and accepts no further messages', async () => {
    const session = await open([[{ type: 'crash' }], [text('two')]]).session()
    await expect(session.send('hi')).rejects.toThrow(BackendSessionError)
    await expect(session.send('again')).rejects.toThrow('closed')
  })

  it('[Processing] → tool failure: continues, and the result names the failed call', async () => {
    expect(await sent(failing, text('it is not there'))).toMatchObject({
      isError: false,
      response: 'it is not there',
      toolResults: [{ callId: 'toolu_1', isError: true }],
    })
  })

  it('[Processing] → max_turns reached: returns a result with is_error, and the session is ready', async () => {
    const session = await open([[limit('turns')], [text('two')]]).session()
    expect(await session.send('hi')).toMatchObject({ isError: true, errorReason: 'max_turns limit reached' })
    expect((await session.send('go on')).response).toBe('two')
  })
})

describe('error types (seed 002)', () => {
  it.each([BackendInitError, BackendSessionError, BackendTimeoutError, BackendBudgetError])(
    'BackendError: is the base of %o and carries the partial result',
    (Kind) => {
      const result = ExecutionResult.parse({ response: 'so far' })
      const error = new Kind('broken', { result })
      expect(error).toBeInstanceOf(BackendError)
      expect(error).toMatchObject({ name: Kind.name, message: 'broken', result: { response: 'so far' } })
    },
  )
})
