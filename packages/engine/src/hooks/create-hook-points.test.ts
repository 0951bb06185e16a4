import { HOOK_EVENTS } from '@anthropic-ai/claude-agent-sdk'
import type { JsonObject, SessionId } from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../ports/logger.ts'
import { createHookPoints } from './create-hook-points.ts'
import { createSessionHooks } from './create-session-hooks.ts'
import { hookEvents } from './hook-event.ts'

const sessionId = 'ses_hooked0' as SessionId // a literal that matches the id's shape
const context = { sessionId, signal: new AbortController().signal }
const specific = (hookEventName: string, part: JsonObject) => ({ hookSpecificOutput: { hookEventName, ...part } })
const decision = (permissionDecision: string, permissionDecisionReason = '') =>
  specific('PreToolUse', { permissionDecision, permissionDecisionReason })

function open(timeoutMs = 60_000) {
  const errors: unknown[] = []
  const logger = { ...silentLogger, error: (facts: unknown) => void errors.push(facts) }
  return { hooks: createHookPoints({ logger, timeoutMs }), errors }
}

it('uses the event names of the SDK', () => {
  expect(hookEvents).toEqual(HOOK_EVENTS)
})

it.each(hookEvents)('calls only the handlers of %s, until they are removed', async (event) => {
  const { hooks } = open()
  const seen: unknown[] = []
  const stop = hooks.on(event, (input, { sessionId: from }) => {
    seen.push([input, from])
    return { systemMessage: 'seen' }
  })
  expect(hookEvents.filter(hooks.hasListener)).toEqual([event])
  expect(await hooks.run(event, { a: 1 }, context)).toEqual({ systemMessage: 'seen' })
  expect(seen).toEqual([[{ a: 1 }, sessionId]])
  stop()
  expect(hooks.hasListener(event)).toBe(false)
  expect(await hooks.run(event, {}, context)).toEqual({})
})

describe('several handlers of one event', () => {
  it('are decided by the strictest, with its reason', async () => {
    for (const order of [
      ['allow', 'deny', 'ask'],
      ['deny', 'ask', 'allow'],
    ]) {
      const { hooks } = open()
      for (const permission of order) hooks.on('PreToolUse', () => decision(permission, `because ${permission}`))
      expect(await hooks.run('PreToolUse', {}, context)).toMatchObject(decision('deny', 'because deny'))
    }
  })

  it('combine their additions, and each sees the input changed by the previous one', async () => {
    const { hooks } = open()
    const seen: unknown[] = []
    hooks.on('PreToolUse', () => specific('PreToolUse', { updatedInput: { command: 'ls' }, additionalContext: 'one' }))
    hooks.on('PreToolUse', ({ tool_input }) => {
      seen.push(tool_input)
      return specific('PreToolUse', { additionalContext: 'two' })
    })
    expect(await hooks.run('PreToolUse', { tool_input: { command: 'rm' } }, context)).toMatchObject(
      specific('PreToolUse', { updatedInput: { command: 'ls' }, additionalContext: 'one\ntwo' }),
    )
    expect(seen).toEqual([{ command: 'ls' }])
  })

  it.each(['updatedToolOutput', 'updatedMCPToolOutput'])(
    'hide everything that one of them hides, by %s',
    async (field) => {
      const { hooks } = open()
      const hide = (what: string) => (input: JsonObject) =>
        specific('PostToolUse', { [field]: String(input.tool_response).replace(what, '***') })
      hooks.on('PostToolUse', hide('KEY'))
      hooks.on('PostToolUse', hide('NAME'))
      expect(await hooks.run('PostToolUse', { tool_response: 'KEY NAME' }, context)).toEqual(
        specific('PostToolUse', { updatedToolOutput: '*** ***' }),
      )
    },
  )

  it('are not undone by empty values of another', async () => {
    const { hooks } = open()
    hooks.on('PostToolUse', () => ({ reason: 'mind it', ...specific('PostToolUse', { updatedToolOutput: 'hidden' }) }))
    hooks.on('PostToolUse', () => ({ reason: null, ...specific('PostToolUse', { updatedToolOutput: null }) }))
    hooks.on('PostToolUse', () => ({ decision: null, hookSpecificOutput: null }))
    expect(await hooks.run('PostToolUse', { tool_response: 'KEY' }, context)).toEqual({
      reason: 'mind it',
      ...specific('PostToolUse', { updatedToolOutput: 'hidden' }),
    })
  })

  it('cannot overrule one that stops the agent', async () => {
    const { hooks } = open()
    hooks.on('Stop', () => ({ continue: false, stopReason: 'enough' }))
    hooks.on('Stop', () => ({ continue: true }))
    expect(await hooks.run('Stop', {}, context)).toMatchObject({ continue: false, stopReason: 'enough' })
  })
})

describe('a handler that fails', () => {
  const fails = () => {
    throw new Error('broken')
  }
  const hangs = () => new Promise<undefined>(() => undefined)

  it.each([
    ['throws', fails],
    ['takes too long', hangs],
  ])('with %s denies a tool call, decides nothing else, and is logged', async (_how, handler) => {
    const { hooks, errors } = open(20)
    hooks.on('PreToolUse', handler)
    hooks.on('PostToolUse', handler)
    expect(await hooks.run('PreToolUse', {}, context)).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    expect(await hooks.run('PostToolUse', {}, context)).toEqual({})
    expect(errors).toHaveLength(2)
  })
})

describe('an unreadable answer', () => {
  const message = 'a hook returned an invalid answer: decision'
  it.each([
    ['PreToolUse', { decision: 'block', reason: message }],
    ['UserPromptSubmit', { decision: 'block', reason: message }],
    ['PreCompact', { decision: 'block', reason: message }],
    ['PostToolUse', specific('PostToolUse', { updatedToolOutput: `[withheld: ${message}]` })],
    ['Stop', {}],
  ] as const)('is logged, and at %s treated as the strictest one', async (event, output) => {
    const { hooks, errors } = open()
    hooks.on(event, () => ({ decision: ['block'] }))
    expect(await hooks.run(event, {}, context)).toEqual(output)
    expect(errors).toMatchObject([{ event, sessionId, error: expect.stringContaining(message) }])
  })
})

describe('session hooks', () => {
  it('get the start and the end, and text added at the start is put before the first prompt only', async () => {
    const { hooks } = open()
    const seen: unknown[] = []
    hooks.on('SessionStart', (input) => {
      seen.push(input)
      return specific('SessionStart', { additionalContext: 'the session rules' })
    })
    hooks.on('SessionEnd', (input) => void seen.push(input))
    const session = createSessionHooks(hooks, sessionId)
    expect(session.hasListener('UserPromptSubmit')).toBe(true)
    await session.started({ source: 'resume', cwd: '/work', model: 'some-model' })
    const prompt = () => session.run('UserPromptSubmit', {}, context.signal)
    expect(await prompt()).toMatchObject(specific('UserPromptSubmit', { additionalContext: 'the session rules' }))
    expect(await prompt()).toEqual({})
    await session.ended({ cwd: '/work' })
    expect(seen).toMatchObject([
      { hook_event_name: 'SessionStart', session_id: sessionId, source: 'resume', cwd: '/work' },
      { hook_event_name: 'SessionEnd', reason: 'other' },
    ])
  })
})
