// The backend contract as a test suite. An adapter's test calls `describeBackend` with a way to script the model; the
// suite knows nothing else about the adapter.
import { ExecutionResult, errorReasons } from '@quarterdeck/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { BackendBudgetError, BackendSessionError } from './backend-errors.ts'
import { collect, collectEvents, durable, ended, find, tokensOf, types } from './contract/backend-events.contract.ts'
import {
  type BackendHarness,
  limits,
  makeTestFolder,
  never,
  type OpenBackendHarness,
  type OpenHarness,
  optionsOf,
  ready,
  removeFolders,
} from './contract/backend-harness.contract.ts'
import { describeBranches } from './contract/branch.contract.ts'
import { describeControl } from './contract/control.contract.ts'
import { describeGate } from './contract/gate.contract.ts'
import { describeHooks } from './contract/hooks.contract.ts'
import { describeReasons } from './contract/reasons.contract.ts'

interface ContractOptions {
  /** False if the backend does not run hooks. */
  readonly raisesHooks?: boolean
}

export function describeBackend(
  name: string,
  open: OpenBackendHarness,
  { raisesHooks = true }: ContractOptions = {},
): void {
  describe(`the backend contract: ${name}`, () => {
    const harnesses: BackendHarness[] = []
    const opened: OpenHarness = async (replies, agent = {}) => {
      const harness = await open(replies, makeTestFolder(), agent)
      harnesses.push(harness)
      await harness.backend.initialize()
      return harness
    }
    afterEach(async () => {
      await Promise.all(harnesses.splice(0).map((harness) => harness.close()))
      removeFolders()
    })

    describeTurns(opened)
    describeStates(opened)
    describeGate(opened)
    if (raisesHooks) describeHooks(opened)
    describeControl(opened)
    describeBranches(opened)
    describeResults(opened)
    describeReasons(opened)
  })
}

function describeTurns(opened: OpenHarness): void {
  it('ends a turn with exactly one TurnEnded, as the last event', async () => {
    const { session } = await ready(opened, [{ text: 'Hello there' }])
    const events = await collect(session.run('hi', never))
    expect(ended(events).data.outcome).toBe('completed')
    expect(types(events).filter((type) => type === 'TurnEnded')).toHaveLength(1)
  })

  it('emits AgentSessionStarted once, before any output of the agent', async () => {
    const { session } = await ready(opened, [{ text: 'one' }, { text: 'two' }])
    const first = durable(await collect(session.run('hi', never)))
    const second = durable(await collect(session.run('again', never)))
    expect(types(first).indexOf('AgentSessionStarted')).toBeLessThan(types(first).indexOf('AgentThought'))
    expect([...types(first), ...types(second)].filter((type) => type === 'AgentSessionStarted')).toHaveLength(1)
  })

  it('streams tokens that concatenate to the text of the thought', async () => {
    const { session } = await ready(opened, [{ text: 'alpha beta gamma delta' }])
    const events = await collect(session.run('hi', never))
    const thought = find(events, 'AgentThought')
    expect(thought.data.text).toBe('alpha beta gamma delta')
    expect(tokensOf(events, thought.data.messageId, 'text')).toBe(thought.data.text)
  })

  it('streams thinking alongside text', async () => {
    const { session } = await ready(opened, [{ thinking: 'let me see', text: 'seen' }])
    const events = await collect(session.run('hi', never))
    const thinking = find(events, 'AgentThinking')
    expect(thinking.data.text).toBe('let me see')
    expect(tokensOf(events, thinking.data.messageId, 'thinking')).toBe('let me see')
    expect(find(events, 'AgentThought').data.text).toBe('seen')
  })

  it('pairs every tool call with its result, even for parallel calls', async () => {
    const { session } = await ready(opened, [{ text: 'two', commands: ['echo one', 'echo two'] }, { text: 'done' }])
    const events = durable(await collect(session.run('hi', never)))
    const calls = events.filter((event) => event.type === 'AgentInvokedTool')
    const results = events.filter((event) => event.type === 'ToolExecuted')
    expect(calls.map((call) => call.data.toolName)).toEqual(['Bash', 'Bash'])
    for (const call of calls) {
      const result = results.find((one) => one.data.toolUseId === call.data.toolUseId)
      expect(result?.data.output).toBe(String(call.data.toolInput.command).replace('echo ', ''))
      expect(events.indexOf(call)).toBeLessThan(result === undefined ? -1 : events.indexOf(result))
    }
    expect(find(events, 'TurnEnded').data.result.response).toBe('done')
  })

  it('continues after a failing tool and records the failure', async () => {
    const { session } = await ready(opened, [{ text: 'try', commands: ['exit 3'] }, { text: 'it failed' }])
    const result = await session.send('hi')
    expect(result.isError).toBe(false)
    expect(result.toolResults).toEqual([expect.objectContaining({ isError: true })])
  })

  it('reports usage', async () => {
    const { session } = await ready(opened, [{ text: 'hello' }])
    const events = await collect(session.run('hi', never))
    const usage = find(events, 'UsageRecorded')
    expect(usage.data.tokens.output).toBeGreaterThan(0)
    expect(ended(events).data.result.tokenUsage.outputTokens).toBe(usage.data.tokens.output)
  })
}

function describeStates(opened: OpenHarness): void {
  it('can be initialized twice', async () => {
    const { backend } = await opened([{ text: 'hi' }])
    await expect(backend.initialize()).resolves.toBeUndefined()
  })

  it('runs one message after another and forgets the tool calls of the first turn', async () => {
    const { session } = await ready(opened, [{ commands: ['echo one'] }, { text: 'first' }, { text: 'second' }])
    const first = await session.send('one')
    const second = await session.send('two')
    expect([first.response, second.response]).toEqual(['first', 'second'])
    expect(second.toolCalls).toEqual([])
  })

  it('refuses a second turn while one runs', async () => {
    const { session } = await ready(opened, [{ text: 'wait', stalls: true }])
    const running = session.run('hi', never)[Symbol.asyncIterator]()
    await running.next()
    const second = await collect(session.run('me too', never))
    expect(types(second)).toEqual(['TurnEnded'])
    expect(ended(second).data).toMatchObject({ outcome: 'failed' })
    await expect(session.send('me too')).rejects.toThrow(BackendSessionError)
    await session.interrupt()
  })

  it('refuses use after close and can be closed twice', async () => {
    const { session } = await ready(opened, [{ text: 'hello' }])
    await session.send('hi')
    await session.close()
    await session.close()
    expect(ended(await collect(session.run('hi', never))).data.outcome).toBe('failed')
    await expect(session.send('hi')).rejects.toThrow(BackendSessionError)
    await expect(collect(session.sendStreaming('hi'))).rejects.toThrow(BackendSessionError)
  })

  it('interrupts a running turn and accepts another message', async () => {
    const { session } = await ready(opened, [{ text: 'I begin', stalls: true }, { text: 'again' }])
    const events = await collectEvents(session.run('hi', never), session.interrupt)
    expect(ended(events).data).toMatchObject({ outcome: 'interrupted', result: { errorReason: 'interrupted' } })
    expect((await session.send('go on')).response).toBe('again')
  })

  it('ends a turn as interrupted when its signal aborts', async () => {
    const { session } = await ready(opened, [{ text: 'I begin', stalls: true }])
    const abort = new AbortController()
    const events = await collectEvents(session.run('hi', abort.signal), () => abort.abort())
    expect(ended(events).data.outcome).toBe('interrupted')
    expect(ended(await collect(session.run('hi', AbortSignal.abort()))).data.outcome).toBe('interrupted')
  })

  it('ignores an interrupt while no turn is running', async () => {
    const { session } = await ready(opened, [{ text: 'hello' }])
    await session.interrupt()
    expect((await session.send('hi')).response).toBe('hello')
  })

  it('stops the turn when its consumer stops reading', async () => {
    const { session } = await ready(opened, [{ text: 'I begin', stalls: true }, { text: 'again' }])
    for await (const event of session.run('hi', never)) if (event.type === 'AgentStreamToken') break
    expect((await session.send('go on')).response).toBe('again')
  })

  it('ends the running turn as interrupted when the session closes', async () => {
    const { session } = await ready(opened, [{ text: 'I begin', stalls: true }])
    const events = await collectEvents(session.run('hi', never), () => void session.close())
    expect(ended(events).data.outcome).toBe('interrupted')
  })

  it('closes every session at teardown', async () => {
    const { session, harness } = await ready(opened, [{ text: 'hello' }])
    await session.send('hi')
    await harness.backend.teardown()
    await expect(session.send('hi')).rejects.toThrow(BackendSessionError)
  })
}

function describeResults(opened: OpenHarness): void {
  it('returns a complete result', async () => {
    const { session } = await ready(opened, [{ text: 'one', commands: ['echo hi'] }, { text: 'The end' }])
    const result = await session.send('hi')
    expect(ExecutionResult.parse(result)).toEqual(result)
    expect(result).toMatchObject({ response: 'The end', isError: false, errorReason: null })
    expect(result.toolCalls).toEqual([{ name: 'Bash', arguments: { command: 'echo hi' }, callId: expect.any(String) }])
    expect(result.toolResults).toEqual([{ callId: result.toolCalls[0]?.callId, result: 'hi', isError: false }])
    expect(result.numTurns).toBeGreaterThan(0)
  })

  it('streams the text of the lead agent as it arrives', async () => {
    const { session } = await ready(opened, [{ thinking: 'hm', text: 'alpha beta gamma' }])
    const chunks = await collect(session.sendStreaming('hi'))
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.join('')).toBe('alpha beta gamma')
  })

  it('returns a result with the table’s reason at the turn limit', async () => {
    const replies = [{ commands: ['echo 1'] }, { commands: ['echo 2'] }, { text: 'never said' }]
    const { session } = await ready(opened, replies, { limits: { ...limits, maxTurns: 1 } })
    const events = await collect(session.run('hi', never))
    expect(ended(events).data).toMatchObject({ outcome: 'turn_limit', result: { errorReason: errorReasons.maxTurns } })
  })

  it('returns a result with the table’s reason when the budget is spent', async () => {
    const replies = [{ commands: ['echo 1'] }, { commands: ['echo 2'] }, { text: 'never said' }]
    const { session } = await ready(opened, replies, { limits: { ...limits, maxBudgetUsd: 0.000001 } })
    const result = await session.send('hi')
    expect(result).toMatchObject({ isError: true, errorReason: errorReasons.budget })
    await expect(session.send('more')).rejects.toThrow(BackendBudgetError)
    expect(ended(await collect(session.run('more', never))).data.outcome).toBe('budget_limit')
  })

  it('returns a failed result when the provider keeps failing', async () => {
    const { session } = await ready(opened, [{ fails: true }])
    const result = await session.send('hi')
    expect(result.isError).toBe(true)
    expect(result.errorReason).not.toBe('')
  })

  it('ends a crashed turn as crashed, keeps the events so far and closes the session', async () => {
    const { session, harness } = await ready(opened, [{ text: 'I begin', stalls: true }])
    const events = await collectEvents(session.run('hi', never), async (soFar) => {
      if (types(soFar).filter((type) => type === 'AgentStreamToken').length === 2) await harness.crash()
    })
    expect(types(events)).toContain('BackendCrashed')
    expect(find(events, 'AgentStreamDiscarded').data.text).toBe('I begin')
    expect(ended(events).data).toMatchObject({ outcome: 'crashed', result: { errorReason: errorReasons.crashed } })
    await expect(session.send('hi')).rejects.toThrow(BackendSessionError)
  })

  it('throws with the partial result when send crashes', async () => {
    const { session, harness } = await ready(opened, [{ text: 'I begin', stalls: true }])
    const sent = session.sendStreaming('hi')[Symbol.asyncIterator]()
    await sent.next()
    await harness.crash()
    const failure = await drainUntilThrown(sent)
    expect(failure).toBeInstanceOf(BackendSessionError)
    expect(failure).toMatchObject({ result: { isError: true, errorReason: errorReasons.crashed } })
  })

  it('returns a result from invokeOnce for success and for failure', async () => {
    const good = await opened([{ text: 'hello' }])
    expect(await good.backend.invokeOnce('hi', optionsOf(good))).toMatchObject({ response: 'hello', isError: false })
    const bad = await opened([{ fails: true }])
    expect(await bad.backend.invokeOnce('hi', optionsOf(bad))).toMatchObject({ isError: true })
    const limited = await opened([{ commands: ['echo 1'] }, { commands: ['echo 2'] }, { text: 'no' }])
    const options = optionsOf(limited, { limits: { ...limits, maxTurns: 1 } })
    expect(await limited.backend.invokeOnce('hi', options)).toMatchObject({ errorReason: errorReasons.maxTurns })
  })
}

async function drainUntilThrown(items: AsyncIterator<unknown>): Promise<unknown> {
  try {
    while (!(await items.next()).done);
    return null
  } catch (error) {
    return error
  }
}
