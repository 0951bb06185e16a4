// Commands of asks, one of each kind.
import {
  type AnswerAsk,
  type ApprovalAnswer,
  type ApprovalId,
  type AskAnswer,
  type AskId,
  type ClientCallId,
  type Command,
  draft,
  type EventOfType,
  type QuestionId,
} from '@quarterdeck/protocol'
import { messageId } from './given-session.fixture.ts'

export const requestApproval = (
  approvalId: ApprovalId,
  change: Partial<EventOfType<'ApprovalRequested'>['data']> = {},
): Command => ({
  type: 'ask.request',
  asked: draft('ApprovalRequested', {
    approvalId,
    toolName: 'Bash',
    toolUseId: `tool_${approvalId}`,
    toolInput: { command: 'ls' },
    effects: ['read'],
    rule: 'no rule allows this call',
    sessionRule: { tool: 'Bash', pattern: 'ls' },
    expiresAt: null,
    insteadOf: null,
    ...change,
  }),
})

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'red', description: '' }],
  multiSelect: false,
}

export const askQuestion = (questionId: QuestionId): Command => ({
  type: 'ask.request',
  asked: draft('QuestionAsked', {
    questionId,
    source: 'agent',
    server: null,
    toolUseId: `tool_${questionId}`,
    message: '',
    items: [colour],
    schema: null,
    url: null,
    expiresAt: null,
  }),
})

export const callClient = (callId: ClientCallId): Command => ({
  type: 'ask.request',
  asked: draft('ClientToolCalled', {
    callId,
    toolName: 'get_time',
    toolInput: { zone: 'utc' },
    toolUseId: `tool_${callId}`,
    leader: 'tab',
    deadlineAt: '2026-01-01T00:05:00.000Z',
    parkedUntil: '2026-01-02T00:00:00.000Z',
  }),
})

export const answerAsk = (id: AskId, answer: AskAnswer, change: Partial<AnswerAsk> = {}): Command => ({
  type: 'ask.answer',
  id,
  answer,
  by: 'ben',
  isLive: true,
  wakeMessageId: messageId(9),
  ...change,
})

export const allow: ApprovalAnswer = { decision: 'allow', input: null, note: null }
export const red = { answers: { 'Which colour?': 'red' }, note: null }
export const noon = { output: 'noon', isError: false }

export const expireAsk = (id: AskId): Command => ({ type: 'ask.expire', id, wakeMessageId: messageId(9) })
