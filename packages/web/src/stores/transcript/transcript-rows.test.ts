import { draft, type EventDraft, emptyTranscript, foldTranscript, type TranscriptItem } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { loggedEvent, logOf } from '../testing/logged-event.fixture.ts'
import {
  approvalId,
  approvalRequested,
  clientToolCalled,
  executed,
  failedTool,
  invoked,
  messageDelivered,
  messageQueued,
  questionAnswered,
  questionAsked,
  thought,
  turnEnded,
} from '../testing/sample-events.fixture.ts'
import { transcriptRows } from './transcript-rows.ts'

const items = (...drafts: readonly EventDraft[]): readonly TranscriptItem[] =>
  foldTranscript(emptyTranscript, logOf(...drafts)).items

const types = (rows: ReturnType<typeof transcriptRows>) => rows.map((row) => row.type)

it('groups consecutive reads and searches into one row', () => {
  const rows = transcriptRows(
    items(
      invoked('Read', { file_path: '/a' }, 't1'),
      executed('Read', 't1'),
      invoked('Grep', { pattern: 'x' }, 't2'),
      executed('Grep', 't2'),
      invoked('Bash', { command: 'ls' }, 't3'),
      executed('Bash', 't3'),
    ),
  )
  expect(types(rows)).toEqual(['tool-group', 'tool'])
  expect(rows[0]).toMatchObject({ items: [{ toolUseId: 't1' }, { toolUseId: 't2' }] })
})

it('leaves a failed read out of the group', () => {
  const rows = transcriptRows(
    items(
      invoked('Read', { file_path: '/a' }, 't1'),
      executed('Read', 't1'),
      invoked('Read', { file_path: '/b' }, 't2'),
      failedTool('Read', 't2', 'no such file'),
    ),
  )
  expect(types(rows)).toEqual(['tool', 'tool'])
})

it('shows a subagent as one row of the lead, and its steps when it is selected', () => {
  const log = items(
    invoked('Agent', { subagent_type: 'explorer', description: 'Look' }, 't1'),
    { ...invoked('Read', { file_path: '/a' }, 't2'), agent: ['t1'] },
    { ...executed('Read', 't2'), agent: ['t1'] },
    executed('Agent', 't1'),
    turnEnded,
  )
  expect(transcriptRows(log)).toMatchObject([{ type: 'subagent', agentKey: 't1' }, { type: 'turn' }])
  expect(transcriptRows(log, 't1')).toMatchObject([{ type: 'tool', item: { toolUseId: 't2' } }])
})

it('shows the approval of a subagent in the rows of the lead, because it blocks the whole session', () => {
  const asked = { ...approvalRequested(), agent: ['t1'] }
  expect(types(transcriptRows(items(asked)))).toEqual(['approval'])
})

it('omits a queued message until it is delivered', () => {
  expect(transcriptRows(items(messageQueued))).toEqual([])
  expect(types(transcriptRows(items(messageQueued, messageDelivered)))).toEqual(['user'])
})

it('ends a turn with the files it changed and the last command that succeeded', () => {
  const edit = { file_path: '/project/a.js', old_string: 'a', new_string: 'b\nc' }
  const rows = transcriptRows(
    items(
      invoked('Edit', edit, 't1'),
      executed('Edit', 't1'),
      invoked('Bash', { command: 'npm test' }, 't2'),
      executed('Bash', 't2'),
      turnEnded,
      thought('Later'),
      { ...turnEnded },
    ),
  )
  expect(rows.filter((row) => row.type === 'turn')).toMatchObject([
    { outcome: { files: [{ path: '/project/a.js', added: 2, removed: 1 }], lastCommand: { toolUseId: 't2' } } },
    { outcome: { files: [], lastCommand: null } },
  ])
})

it('shows how long the agent thought', () => {
  const log = [
    loggedEvent(messageQueued, { seq: 1, at: 0 }),
    loggedEvent(messageDelivered, { seq: 2, at: 4000 }),
    loggedEvent(draft('AgentThinking', { text: 'Hm', messageId: 'm' }), { seq: 3, at: 8000 }),
  ]
  const rows = transcriptRows(foldTranscript(emptyTranscript, log).items)
  expect(rows.at(-1)).toMatchObject({ type: 'thinking', seconds: 4 })
})

it('shows a call that needs approval once: as an approval until it is decided, then as the call', () => {
  const call = invoked('Bash', { command: 'npm test' }, 'toolu_9')
  expect(types(transcriptRows(items(call, approvalRequested())))).toEqual(['approval'])
  const decided = draft('ApprovalDecided', {
    approvalId,
    decision: 'allow',
    toolInput: { command: 'npm test' },
    edited: false,
    note: null,
    by: 'ana',
    rule: null,
    wasLive: true,
  })
  const approved = items(call, approvalRequested(), decided, executed('Bash', 'toolu_9'))
  expect(transcriptRows(approved)).toMatchObject([{ type: 'tool', approval: { decision: { by: 'ana' } } }])
  const edited = { ...decided, data: { ...decided.data, edited: true } }
  expect(types(transcriptRows(items(call, approvalRequested(), edited)))).toEqual(['tool', 'approval'])
  const late = { ...decided, data: { ...decided.data, wasLive: false } }
  expect(types(transcriptRows(items(call, approvalRequested(), late)))).toEqual(['approval'])
})

it('shows a question and a client call once, without the tool call behind them', () => {
  const asking = invoked('AskUserQuestion', { questions: [] }, 'toolu_7')
  expect(types(transcriptRows(items(asking, questionAsked)))).toEqual(['question'])
  const answered = [
    asking,
    questionAsked,
    questionAnswered({ 'Which colour?': 'red' }),
    executed('AskUserQuestion', 'toolu_7'),
  ]
  expect(types(transcriptRows(items(...answered)))).toEqual(['question'])
  const calling = invoked('mcp__client__chart', { rows: 3 }, 'toolu_8')
  expect(types(transcriptRows(items(calling, clientToolCalled, executed('mcp__client__chart', 'toolu_8'))))).toEqual([
    'client-call',
  ])
})

it('shows the asks of a subagent in the rows of the lead', () => {
  const [asked] = items({ ...questionAsked, agent: ['toolu_1'] })
  expect(types(transcriptRows(asked === undefined ? [] : [asked]))).toEqual(['question'])
})
