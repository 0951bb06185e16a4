import { draft, type EventDraft, type EventOfType, type StreamedEvent } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { paletteFor } from './palette.ts'
import { createTurnPrinter } from './turn-printer.ts'

const token = (text: string, agent: string[] | null = null): StreamedEvent => ({
  type: 'AgentStreamToken',
  agent,
  data: { text, messageId: 'm1', kind: 'text' },
})

// The printer uses only type, agent and data, which a draft has.
const asEvent = (one: EventDraft) => one as StreamedEvent

function printAll(events: readonly StreamedEvent[], model = 'claude-sonnet-4-6'): string {
  let out = ''
  const printer = createTurnPrinter({
    write: (text) => {
      out += text
    },
    note: (line) => {
      out += `${line}\n`
    },
    palette: paletteFor({ isTTY: false }, {}),
    session: () => ({ model, modelSource: 'simulator', cwd: '/p' }),
  })
  for (const event of events) printer.print(event)
  return out
}

const result = {
  response: '',
  toolCalls: [],
  toolResults: [],
  tokenUsage: { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
  structuredOutput: null,
  numTurns: 1,
  isError: false,
  errorReason: null,
}
const endedData: EventOfType<'TurnEnded'>['data'] = {
  outcome: 'completed',
  result,
  durationMs: 1500,
  durationApiMs: 1000,
  reportedCostUsd: null,
  modelUsage: {},
  permissionDenials: [],
}

const thought = asEvent(draft('AgentThought', { text: 'Hello', messageId: 'm1' }))

it('prints streamed text once, and other text whole', () => {
  expect(printAll([token('Hel'), token('lo'), thought])).toBe('Hello\n')
  expect(printAll([thought])).toBe('Hello\n')
})

it('prints the text so far of a streaming message, and no part of it twice', () => {
  const soFar = (text: string): StreamedEvent => ({
    type: 'AgentStreamSnapshot',
    agent: null,
    data: { text, messageId: 'm1', kind: 'text' },
  })
  expect(printAll([soFar('Hel'), token('lo'), thought])).toBe('Hello\n')
  expect(printAll([token('Hel'), soFar('Hell'), token('o'), thought])).toBe('Hello\n')
})

it('prints the rest of a message that ended between two reads of the log', () => {
  const soFar: StreamedEvent = {
    type: 'AgentStreamSnapshot',
    agent: null,
    data: { text: 'Hel', messageId: 'm1', kind: 'text' },
  }
  expect(printAll([soFar, thought])).toBe('Hello\n')
  const replaced = asEvent(draft('AgentThought', { text: 'Help', messageId: 'm1' }))
  expect(printAll([soFar, token('lo'), replaced])).toBe('Hello\nHelp\n')
})

it('shows text that never became a message, and says that it was cut off', () => {
  const cutOff = (text: string) =>
    asEvent(draft('AgentStreamDiscarded', { text, messageId: 'm1', reason: 'the server stopped' }))
  const marked = 'Hello\n  This text was cut off: the server stopped\n'
  expect(printAll([cutOff('Hello')])).toBe(marked)
  expect(printAll([token('Hel'), cutOff('Hello')])).toBe(marked)
  expect(printAll([token('Hello'), cutOff('Hello'), thought])).toBe(`${marked}Hello\n`)
  expect(printAll([{ ...cutOff('Hello'), agent: ['agent1'] } as StreamedEvent])).toBe('')
})

it('names MCP tools by server and tool, and tools of the agent file by their name', () => {
  const lines = ['mcp__github__create_issue', 'mcp__tools__weather'].map((toolName) =>
    printAll([asEvent(draft('AgentInvokedTool', { toolName, toolInput: {}, toolUseId: 't', messageId: 'm' }))]).trim(),
  )
  expect(lines).toEqual(['● github · create_issue', '● weather'])
})

it('shows the lines of a failed call that contain the reason', () => {
  const noise = Array.from({ length: 40 }, (_, at) => `ok ${at + 1}`)
  const output = [
    'Exit code 1',
    ...noise,
    '\u001b[31mnot ok 41 - total\u001b[0m',
    '  AssertionError: 3 !== 4',
    ...noise,
  ]
  const data = { toolName: 'Bash', toolUseId: 't', output: output.join('\n'), isError: true, durationMs: 1 }
  expect(printAll([asEvent(draft('ToolExecuted', data))])).toBe(
    [
      '  ✘ Exit code 1',
      '    … 39 lines',
      '    ok 40',
      '    not ok 41 - total',
      '      AssertionError: 3 !== 4',
      '    ok 1',
      '    ok 2',
      '    … 38 lines',
      '',
    ].join('\n'),
  )
})

it('names the model chosen for the turn, or that of the session', () => {
  const events = [
    asEvent(draft('ModelChosen', { model: 'claude-haiku-4-5', rule: 'short-question', reason: 'a short question' })),
    asEvent(draft('TurnEnded', endedData)),
  ]
  expect(printAll(events, 'auto')).toContain('simulator (as claude-haiku-4-5) · 0 in')
  expect(printAll(events)).toContain('simulator (as claude-sonnet-4-6) · 0 in')
  expect(printAll(events.slice(1), 'auto')).toContain('simulator (as auto)')
})

it('shows a call that a hook changed, but not one that a person approved', () => {
  const call = { toolName: 'Bash', toolInput: { command: 'rm x' }, toolUseId: 't', messageId: 'm' }
  const data = { toolName: 'Bash', toolUseId: 't', output: '', isError: false, durationMs: 1 }
  const changedInput = { command: 'echo quiet' }
  const ran = asEvent(draft('ToolExecuted', { ...data, changedInput }))
  const invoked = asEvent(draft('AgentInvokedTool', call))
  expect(printAll([invoked, ran])).toBe('  ● Bash rm x\n  ✎ changed by a hook, ran echo quiet\n')
  expect(printAll([invoked, asEvent(draft('ToolExecuted', data))])).toBe('  ● Bash rm x\n')
  const asked = { type: 'ApprovalRequested', agent: null, data: { toolUseId: 't' } } as StreamedEvent
  expect(printAll([invoked, asked, ran])).toBe('  ● Bash rm x\n')
})

it('names the client that a client tool call waits for', () => {
  const call = { toolName: 'mcp__client__show_chart', leader: null }
  const called = (data: object) => ({ type: 'ClientToolCalled', agent: null, data }) as StreamedEvent
  expect(printAll([called(call)])).toBe('  waiting for a client that runs show_chart\n')
  expect(printAll([called({ ...call, leader: 'laptop' })])).toBe('  waiting for the client laptop\n')
})

it('starts a tool on a new line and indents the work of a subagent', () => {
  const call = { toolName: 'Read', toolInput: { file_path: '/p/a.ts' }, toolUseId: 't', messageId: 'm' }
  const inner = { ...draft('AgentInvokedTool', call), agent: ['agent1'] }
  expect(printAll([token('Look'), asEvent(draft('AgentInvokedTool', call)), asEvent(inner)])).toBe(
    'Look\n  ● Read a.ts\n    ● Read a.ts\n',
  )
})

it('escapes hidden characters in names and reasons', () => {
  const call = { toolName: 'Re\u001b[2Kad', toolInput: {}, toolUseId: 't', messageId: 'm' }
  const started = { agentId: 'a', agentType: 'ex\u202eplorer', parentToolUseId: 't', description: 'looks' }
  const failed = draft('TurnEnded', {
    ...endedData,
    outcome: 'failed',
    result: { ...result, errorReason: 'no \u0007' },
  })
  const drafts = [draft('AgentInvokedTool', call), draft('SubagentStarted', started), failed]
  const lines = printAll(drafts.map(asEvent)).split('\n')
  expect(lines[0]).toContain('Re\\u001b[2Kad')
  expect(lines[1]).toContain('ex\\u202eplorer: looks')
  expect(lines[2]).toContain('no \\u0007 · ')
})

it('ends a turn with the model, its tokens and their cost', () => {
  const usage = draft('UsageRecorded', {
    requestId: 'r',
    apiMessageId: 'm1',
    model: 'claude-sonnet-4-6',
    servedModel: 'simulator',
    tokens: { input: 1000, output: 20, cacheRead: 200, cacheWrite: 0 },
    costUsd: 0.0034,
    source: 'gateway',
  })
  const ended = draft('TurnEnded', endedData)
  expect(printAll([asEvent(usage), asEvent(ended)])).toBe(
    '  simulator (as claude-sonnet-4-6) · 1,200 in, 20 out · $0.0034 · 1.5 s\n',
  )
})

it('prints events around the agent, with hidden characters escaped', () => {
  const error = { attempt: 1, maxRetries: 3, delayMs: 1200, status: 529, error: 'busy\u001b[2K' }
  const changed = draft('ModelChanged', { from: 'a', to: 'b', by: 'ada' })
  expect(printAll([token('Hm'), asEvent(draft('ModelRequestRetrying', error)), asEvent(changed)])).toBe(
    'Hm\n  The provider did not answer (busy\\u001b[2K). Try 1 of 3 in 1.2 s.\n',
  )
})
