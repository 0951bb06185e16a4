// Event drafts for tests.
import {
  ApprovalId,
  ClientCallId,
  draft,
  type EventDraft,
  type JsonObject,
  QuestionId,
  type SessionStatus,
  UserMessageId,
} from '@quarterdeck/protocol'

export const approvalId = ApprovalId.parse('apr_000001')
export const questionId = QuestionId.parse('qst_000001')
const clientCallId = ClientCallId.parse('ctc_000001')
export const messageId = UserMessageId.parse('umsg_000001')

export const sessionCreated = draft('AgentSessionCreated', {
  agentName: 'coder',
  mode: 'chat',
  model: 'claude-sonnet-4-5-20250929',
  modelSource: 'simulator',
  permissionMode: 'manual',
  limits: { maxTurns: 10, maxBudgetUsd: 1, maxDurationMs: 60_000 },
  cwd: '/project',
  title: null,
  tags: [],
  owner: 'ana',
})

export const messageQueued = draft('UserMessageQueued', { messageId, content: 'Fix it', origin: 'user', by: 'ana' })
export const messageDelivered = draft('UserMessageDelivered', { messageId })

export const thought = (text: string, message = 'msg_1') => draft('AgentThought', { text, messageId: message })

export const invoked = (toolName: string, toolInput: JsonObject, toolUseId: string) =>
  draft('AgentInvokedTool', { toolName, toolInput, toolUseId, messageId: 'msg_1' })

export const executed = (toolName: string, toolUseId: string) =>
  draft('ToolExecuted', { toolName, toolUseId, output: 'ok', isError: false, durationMs: 5 })

export const failedTool = (toolName: string, toolUseId: string, output: string) =>
  draft('ToolExecuted', { toolName, toolUseId, output, isError: true, durationMs: 5 })

export const approvalRequested = (toolInput: JsonObject = { command: 'npm test' }): EventDraft<'ApprovalRequested'> =>
  draft('ApprovalRequested', {
    approvalId,
    toolName: 'Bash',
    toolUseId: 'toolu_9',
    toolInput,
    effects: ['write'],
    rule: 'mode manual',
    sessionRule: { tool: 'Bash', pattern: 'npm test' },
    expiresAt: null,
    insteadOf: null,
  })

export const questionAsked = draft('QuestionAsked', {
  questionId,
  source: 'agent',
  server: null,
  toolUseId: 'toolu_7',
  message: '',
  items: [
    {
      question: 'Which colour?',
      header: 'Colour',
      multiSelect: false,
      options: [
        { label: 'red', description: 'warm' },
        { label: 'blue', description: 'cool' },
      ],
    },
  ],
  schema: null,
  url: null,
  expiresAt: null,
})

export const questionAnswered = (answers: JsonObject | null) =>
  draft('QuestionAnswered', { questionId, answers, note: null, by: 'ana', wasLive: true })

export const clientToolCalled = draft('ClientToolCalled', {
  callId: clientCallId,
  toolName: 'chart',
  toolInput: { rows: 3 },
  toolUseId: 'toolu_8',
  leader: 'browser-1',
  deadlineAt: '2026-05-04T10:05:00.000Z',
  parkedUntil: '2026-05-05T10:00:00.000Z',
})

export const movedTo = (to: SessionStatus, reason: string | null = null) =>
  draft('AgentSessionStatusChanged', { from: 'running', to, reason })

export const spent = (costUsd: number | null, apiMessageId = 'msg_1') =>
  draft('UsageRecorded', {
    requestId: apiMessageId,
    apiMessageId,
    model: 'claude-haiku-4-5',
    servedModel: 'claude-haiku-4-5',
    tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    costUsd,
    source: 'gateway',
  })

export const turnEnded = draft('TurnEnded', {
  outcome: 'completed',
  result: {
    response: 'Done',
    toolCalls: [],
    toolResults: [],
    tokenUsage: { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
    structuredOutput: null,
    numTurns: 2,
    isError: false,
    errorReason: null,
  },
  durationMs: 1000,
  durationApiMs: 500,
  reportedCostUsd: null,
  modelUsage: {},
  permissionDenials: [],
})
