// Questions and client calls beside approvals: all asks follow the same rules.
import {
  type AnswerAsk,
  type ApprovalAnswer,
  type ApprovalId,
  type ClientCallId,
  type Command,
  draft,
  type OpenClientCall,
  parseAnswers,
  parseApprovedCalls,
  parseResults,
  type QuestionAnswer,
  type QuestionId,
  type TurnId,
  type UserMessageId,
} from '@quarterdeck/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from './decide.ts'
import {
  allow as allowed,
  answerAsk,
  askQuestion,
  callClient,
  expireAsk,
  noon,
  red,
  requestApproval,
} from './given-asks.fixture.ts'
import {
  cancel,
  end,
  type GivenStep,
  given,
  interrupt,
  pause,
  recover,
  refusal,
  resume,
  running,
  send,
  statusAfter,
  types,
} from './given-session.fixture.ts'

// Literals that match the ids' shapes.
const q1 = 'qst_000001' as QuestionId
const c1 = 'ctc_000001' as ClientCallId
const c2 = 'ctc_000002' as ClientCallId
const a1 = 'apr_000001' as ApprovalId
const wakeId = 'umsg_000009' as UserMessageId
const laterTurn = 'trn_000002' as TurnId

const ask = askQuestion(q1)
const answer = ({
  isLive = true,
  by = 'ben',
  ...change
}: Partial<QuestionAnswer & Pick<AnswerAsk, 'by' | 'isLive'>> = {}) =>
  answerAsk(q1, { ...red, ...change }, { isLive, by })
const call = callClient
const give = (callId: ClientCallId, isLive = true) => answerAsk(callId, noon, { by: 'tab-user', isLive })
const request = requestApproval(a1)
const allow = (isLive = true, change: Partial<ApprovalAnswer> = {}) =>
  answerAsk(a1, { ...allowed, ...change }, { isLive })
const attach = (clientId: string, ...names: readonly string[]): Command => ({
  type: 'client.attach',
  clientId,
  by: 'ana',
  tools: names.map((name) => ({ name, description: name, inputSchema: {} })),
})

const crashed: readonly GivenStep[] = [end('crashed', { keepsAsks: true })]
const wakeText = (steps: readonly GivenStep[], command: Command): string => {
  const queued = decide(given(...steps), command).find((event) => event.type === 'UserMessageQueued')
  return queued?.type === 'UserMessageQueued' ? queued.data.content : ''
}

describe('the status of a session with several asks', () => {
  it('shows an approval before a question before a client call, in any order', () => {
    expect(statusAfter(...running, call(c1))).toBe('waiting_client')
    expect(statusAfter(...running, call(c1), ask)).toBe('waiting_user')
    expect(statusAfter(...running, call(c1), ask, request)).toBe('waiting_approval')
    expect(statusAfter(...running, request, ask)).toBe('waiting_approval')
  })

  it('shows the next ask when the first is settled, and running after the last', () => {
    const open = [...running, call(c1), ask, request]
    expect(statusAfter(...open, allow())).toBe('waiting_user')
    expect(statusAfter(...open, allow(), answer())).toBe('waiting_client')
    expect(statusAfter(...open, allow(), give(c1))).toBe('waiting_user')
    expect(statusAfter(...open, allow(), give(c1), answer())).toBe('running')
  })

  it('is the same without a process', () => {
    const open = [...running, ask, call(c1), request, ...crashed]
    expect(statusAfter(...open)).toBe('waiting_approval')
    expect(statusAfter(...open, allow(false))).toBe('waiting_user')
    expect(statusAfter(...open, allow(false), answer({ isLive: false }))).toBe('waiting_client')
    expect(statusAfter(...open, allow(false), answer({ isLive: false }), give(c1, false))).toBe('queued')
  })
})

describe('a question', () => {
  it('is answered once, and a second answer names the first person', () => {
    expect(refusal([...running, ask, answer()], answer({ by: 'eve' }))).toBe('question.already-answered')
    expect(() => decide(given(...running, ask, answer()), answer({ by: 'eve' }))).toThrow(/answered by ben/)
    expect(refusal(running, answer())).toBe('question.not-found')
  })

  it('refuses answers that do not match its questions, and accepts own words and a decline', () => {
    const open = [...running, ask]
    expect(refusal(open, answer({ answers: { 'Which shape?': 'red' } }))).toBe('request.invalid')
    expect(refusal(open, answer({ answers: { 'Which colour?': ['red'] } }))).toBe('request.invalid')
    expect(refusal(open, answer({ answers: {} }))).toBe('request.invalid')
    expect(refusal(open, answer({ answers: { 'Which colour?': 'my own words' } }))).toBeUndefined()
    expect(refusal(open, answer({ answers: null }))).toBeUndefined()
  })

  it('cannot be answered while its turn is being stopped', () => {
    const stopping: readonly GivenStep[] = [...running, ask, { type: 'turn.interrupt', by: 'ana' }]
    expect(refusal(stopping, answer({ isLive: false }))).toBe('session.busy')
    expect(types(decide(given(...stopping), end('interrupted')))).toContain('QuestionExpired')
  })

  it('expires: a turn continues, and a session without a turn rests as interrupted', () => {
    const expire = expireAsk(q1)
    expect(statusAfter(...running, ask, expire)).toBe('running')
    expect(statusAfter(...running, ask, ...crashed, expire)).toBe('interrupted')
    expect(refusal([...running, ask, expire], answer())).toBe('question.already-answered')
  })

  it('is taken up by the turn that asks it again', () => {
    const again: readonly GivenStep[] = [
      ...[...running, ask, ...crashed],
      { type: 'message.send', messageId: wakeId, content: 'x', origin: 'user', delivery: 'queued', by: 'ana' },
      { type: 'turn.start', turnId: laterTurn },
      { type: 'ask.take-up', id: q1, toolUseId: null },
    ]
    expect(statusAfter(...again)).toBe('waiting_user')
    expect(given(...again)?.questions[0]?.turnId).toBe(laterTurn)
    expect(statusAfter(...again, answer())).toBe('running')
  })
})

describe('an answer that the running turn was given', () => {
  const begun = [...running, request, ask, call(c1)]
  const given3 = [...begun, allow(), answer(), give(c1)]
  const executed = (toolUseId: string, change: { readonly withoutResult?: true } = {}) =>
    draft('ToolExecuted', { toolName: 'x', toolUseId, output: '', isError: false, durationMs: 1, ...change })
  const thought = draft('AgentThought', { text: 'I see.', messageId: 'm1' })
  const inUse = (...steps: readonly GivenStep[]) => given(...steps)?.answersInUse.map(({ report }) => report.type)
  const missedBy = (steps: readonly GivenStep[], command: Command) =>
    decide(given(...steps), command).flatMap((event) => (event.type === 'AnswerMissed' ? [event.data.answer] : []))
  const crash = end('crashed', { keepsAsks: true })

  it.each([
    ['the server dies', recover],
    ['its process dies', crash],
  ])('is reported once when %s, in one message', (_, death) => {
    expect(missedBy(given3, death)).toMatchObject([
      { type: 'decision', approvalId: a1, mayHaveRun: true },
      { type: 'answer', questionId: q1, answers: red.answers },
      { type: 'result', callId: c1, output: 'noon' },
    ])
    const text = wakeText(given3, death)
    expect(text).toContain('it may have run')
    expect(parseAnswers(text)).toMatchObject([{ answers: red.answers }])
    expect(parseResults(text)).toMatchObject([{ output: 'noon' }])
    const woken = given(...given3, death)
    expect(woken).toMatchObject({ status: 'queued', answersInUse: [], grants: [], turn: null })
    expect(woken?.queued).toHaveLength(1)
    expect(decide(woken, recover)).toEqual([])
  })

  it('is reported together with the last answer while another ask is open', () => {
    const half = [...begun, allow(), answer(), recover]
    expect(given(...half)).toMatchObject({ status: 'waiting_client', queued: [] })
    const text = wakeText(half, give(c1, false))
    expect([parseAnswers(text), parseResults(text)]).toMatchObject([[{}], [{ output: 'noon' }]])
  })

  it.each([
    ['the server dies', recover, 'interrupted'],
    ['its process dies', crash, 'failed'],
  ] as const)('rests when %s while an allowed call runs, and reports the call at the resume', (_, death, status) => {
    const allowed = [...running, request, allow()]
    expect(given(...allowed, death)).toMatchObject({ status, queued: [], unreported: [{ mayHaveRun: true }] })
    expect(wakeText([...allowed, death], resume)).toContain('it may have run')
  })

  it('is not reported once its call has a result and the agent continues', () => {
    const tools = [`tool_${a1}`, `tool_${q1}`, `tool_${c1}`].map((id) => executed(id))
    // The process may not have stored the results yet. A call that has run must not be reported as stopped.
    expect(inUse(...given3, ...tools)).toEqual(['answer', 'result'])
    expect(inUse(...given3, ...tools, thought)).toEqual([])
    expect(missedBy([...given3, ...tools, thought], recover)).toEqual([])
    expect(inUse(...given3, thought)).toEqual(['decision', 'answer', 'result'])
  })

  it('stays in use when its call was cut off, but not when the person declined to answer', () => {
    const cutOff = executed(`tool_${q1}`, { withoutResult: true })
    expect(inUse(...running, ask, answer(), cutOff, thought)).toEqual(['answer'])
    expect(inUse(...running, ask, answer({ answers: null }), cutOff, thought)).toEqual([])
  })

  it('belongs to the call that asked again', () => {
    const again = [...running, ask, ...crashed, send(2), { type: 'turn.start', turnId: laterTurn } as const]
    const taken = [...again, { type: 'ask.take-up', id: q1, toolUseId: 'tool_again' } as const, answer()]
    expect(inUse(...taken, executed(`tool_${q1}`), thought)).toEqual(['answer'])
    expect(inUse(...taken, executed('tool_again'), thought)).toEqual([])
  })

  it('is used when the same call asks for something else', () => {
    const approved = [...running, requestApproval(a1, { toolUseId: `tool_${c1}` }), allow()]
    expect(inUse(...approved)).toEqual(['decision'])
    expect(inUse(...approved, call(c1))).toEqual([])
  })

  it('is reported as possibly run when the call used a grant', () => {
    const later = { type: 'turn.start', turnId: laterTurn } as const
    const use = { type: 'approval.use', approvalId: a1, toolUseId: 'tool_again' } as const
    const used = [...running, request, ...crashed, allow(false), later, use]
    expect(missedBy(used, recover)).toMatchObject([{ approvalId: a1, mayHaveRun: true }])
    expect(missedBy([...used, executed('tool_again')], recover)).toEqual([])
  })

  it.each([
    ['denied', [...running, request, answerAsk(a1, { decision: 'deny', input: null, note: null })], recover],
    ['interrupted before the server died', [...given3, interrupt], recover],
    ['interrupted before the process died', [...given3, interrupt], crash],
    ['cancelled', [...given3, cancel], recover],
    ['at its regular end', given3, end('completed')],
  ] as const)('is not reported: %s', (_, steps, death) => {
    expect(missedBy(steps, death)).toEqual([])
    expect(given(...steps, death)).toMatchObject({ answersInUse: [], unreported: [] })
  })

  it('is held by a paused session until the resume', () => {
    expect(given(...given3, pause, recover)).toMatchObject({ status: 'paused', queued: [{ origin: 'engine' }] })
  })
})

describe('without a process', () => {
  it('all answers reach the agent in one message, after the last', () => {
    const open = [...running, request, ask, call(c1), recover]
    expect(statusAfter(...open)).toBe('waiting_approval')
    expect(wakeText(open, answer({ isLive: false }))).toBe('')
    const text = wakeText([...open, answer({ isLive: false, note: 'or blue' }), give(c1, false)], allow(false))
    expect(parseApprovedCalls(text)).toEqual([{ tool: 'Bash', input: { command: 'ls' } }])
    expect(parseAnswers(text)).toEqual([
      { questions: ['Which colour?'], answers: { 'Which colour?': 'red' }, note: 'or blue' },
    ])
    expect(parseResults(text)).toEqual([
      { tool: 'mcp__client__get_time', input: { zone: 'utc' }, output: 'noon', isError: false },
    ])
  })

  it('an interrupt expires the open asks, and wakes the agent neither then nor after the next turn', () => {
    const open = [...running, request, ask, call(c1), recover]
    expect(types(decide(given(...open), interrupt))).toEqual([
      ...['AgentSessionStatusChanged', 'ApprovalExpired', 'QuestionExpired', 'ClientToolExpired'],
      'AgentSessionStatusChanged',
    ])
    const stopped = [...open, interrupt]
    const nothing = { approvals: [], questions: [], clientCalls: [], unreported: [], queued: [] }
    expect(given(...stopped)).toMatchObject({ status: 'interrupted', ...nothing })
    expect(statusAfter(...stopped, send(2), { type: 'turn.start', turnId: laterTurn }, end('completed'))).toBe('idle')
    expect(refusal(stopped, interrupt)).toBe('session.not-running')
  })

  it('a reported answer is kept for the turn that received it, and no longer', () => {
    const reported: readonly GivenStep[] = [
      ...[...running, ask, ...crashed, answer({ isLive: false })],
      { type: 'turn.start', turnId: laterTurn },
    ]
    expect(given(...reported)).toMatchObject({ unreported: [], kept: [{ type: 'answer', questionId: q1 }] })
    expect(given(...reported, end('completed'))?.kept).toEqual([])
  })

  it('a call that no client answered in time is reported as an error', () => {
    const expire = expireAsk(c1)
    const text = wakeText([...running, call(c1), ...crashed], expire)
    expect(parseResults(text)).toMatchObject([{ tool: 'mcp__client__get_time', isError: true }])
    expect(statusAfter(...running, call(c1), expire)).toBe('running')
    expect(given(...running, call(c1), expire)?.unreported).toEqual([])
  })

  it('a pause holds the message back until the session is resumed', () => {
    const paused: readonly GivenStep[] = [...running, ask, { type: 'session.pause', by: 'ana' }, end('interrupted')]
    expect(statusAfter(...paused)).toBe('paused')
    const answered = given(...paused, answer({ isLive: false }))
    expect(answered?.status).toBe('paused')
    expect(answered?.queued).toHaveLength(1)
  })

  it('a cancelled session waits for no answer', () => {
    expect(given(...running, ask, call(c1), ...crashed, cancel)).toMatchObject({
      status: 'cancelled',
      questions: [],
      clientCalls: [],
    })
  })
})

describe('a client call', () => {
  const leaders = (...steps: readonly GivenStep[]) =>
    given(...steps)?.clientCalls.map(({ leader }: OpenClientCall) => leader)

  it('takes one result', () => {
    expect(refusal([...running, call(c1), give(c1)], give(c1))).toBe('client-call.already-returned')
    expect(refusal(running, give(c1))).toBe('client-call.not-found')
  })

  it('is answered in any order', () => {
    expect(statusAfter(...running, call(c1), call(c2), give(c2))).toBe('waiting_client')
    expect(statusAfter(...running, call(c1), call(c2), give(c2), give(c1))).toBe('running')
  })

  it('goes to the next client with the tool when the leading one leaves, and to none when none is left', () => {
    const two = [
      ...running,
      attach('tab', 'get_time'),
      attach('other', 'get_date'),
      attach('phone', 'get_time'),
      call(c1),
    ]
    const leave = (clientId: string): Command => ({ type: 'client.detach', clientId, by: 'ana' })
    expect(leaders(...two)).toEqual(['tab'])
    expect(leaders(...two, leave('tab'))).toEqual(['phone'])
    expect(leaders(...two, leave('tab'), leave('phone'))).toEqual([null])
    expect(leaders(...two, leave('tab'), leave('phone'), attach('new', 'get_time'))).toEqual(['new'])
  })

  it('requires distinct tool names, and attaching again with the same tools changes nothing', () => {
    expect(refusal(running, attach('tab', 'get_time', 'get_time'))).toBe('request.invalid')
    expect(decide(given(...running, attach('tab', 'get_time')), attach('tab', 'get_time'))).toEqual([])
    expect(types(decide(given(...running, attach('tab', 'get_time')), attach('tab')))).toEqual(['ClientAttached'])
  })
})

describe('session rules', () => {
  const rule = { tool: 'Bash', pattern: 'ls' }
  const revoke: Command = { type: 'rule.revoke', rule, by: 'ana' }

  it('exist after "allow for this session" and are gone after a revocation', () => {
    const allowed: readonly GivenStep[] = [...running, request, allow(true, { decision: 'allow_session' })]
    expect(given(...allowed)?.rules).toEqual([rule])
    expect(given(...allowed, revoke)?.rules).toEqual([])
    expect(refusal([...allowed, revoke], revoke)).toBe('approval.rule-not-found')
  })
})
