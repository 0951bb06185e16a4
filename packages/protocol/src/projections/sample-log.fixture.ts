// Sample logs: hand-written ones, and random ones that resemble real sessions.
import type { AgentPath } from '../events/envelope.ts'
import { draft, type EventDraft, SessionEvent, type StreamedEvent } from '../events/session-event.ts'
import { ApprovalId, TurnId, UserMessageId } from '../values/ids.ts'

const id = (prefix: string, number: number) => `${prefix}_${String(number).padStart(8, '0')}`
export const messageId = (number: number) => UserMessageId.parse(id('umsg', number))
export const approvalId = (number: number) => ApprovalId.parse(id('apr', number))
export const turnId = (number: number) => TurnId.parse(id('trn', number))

/** Numbers drafts as the log does. Every event is checked against the catalog. */
export const logOf = (drafts: readonly EventDraft[], firstSeq = 1): SessionEvent[] =>
  drafts.map((one, index) => {
    const seq = firstSeq + index
    const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString()
    return SessionEvent.parse({ ...one, seq, id: id('evt', seq), sessionId: id('ses', 1), at, v: 1 })
  })

export const created = draft('AgentSessionCreated', {
  agentName: 'coder',
  mode: 'chat',
  model: 'claude-sonnet-4-6',
  modelSource: 'simulator',
  permissionMode: 'manual',
  limits: { maxTurns: 50, maxBudgetUsd: 5, maxDurationMs: 3_600_000 },
  cwd: '/project',
  title: null,
  tags: [],
  owner: 'ada',
})

export const queued = (number: number, content = `message ${number}`) =>
  draft('UserMessageQueued', { messageId: messageId(number), content, origin: 'user', by: 'ada' })

export const delivered = (number: number) => draft('UserMessageDelivered', { messageId: messageId(number) })

export const returned = (number: number) =>
  draft('UserMessageReturned', { messageId: messageId(number), reason: 'the process ended' })

export const invoked = (toolUseId: string, agent: AgentPath = null, toolName = 'Bash') =>
  draft(
    'AgentInvokedTool',
    { toolName, toolInput: { command: 'ls' }, toolUseId, messageId: `msg_${toolUseId}` },
    { agent },
  )

export const executed = (toolUseId: string, agent: AgentPath = null, isError = false) =>
  draft('ToolExecuted', { toolName: 'Bash', toolUseId, output: 'out', isError, durationMs: 5 }, { agent })

export const thought = (text: string, message: string) => draft('AgentThought', { text, messageId: message })

export const used = (apiMessageId: string, costUsd: number | null = 0.01, model = 'claude-sonnet-4-6') =>
  draft('UsageRecorded', {
    requestId: `req_${apiMessageId}`,
    apiMessageId,
    model,
    servedModel: model,
    tokens: { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 },
    costUsd,
    source: 'gateway',
  })

export const requested = (number: number, agent: AgentPath = null) =>
  draft(
    'ApprovalRequested',
    {
      approvalId: approvalId(number),
      toolName: 'Bash',
      toolUseId: `tool_${number}`,
      toolInput: { command: 'ls' },
      effects: ['read'],
      rule: 'no rule allows this call',
      sessionRule: { tool: 'Bash', pattern: 'ls' },
      expiresAt: null,
      insteadOf: null,
    },
    { agent },
  )

export const decided = (
  number: number,
  change: Partial<EventDraft<'ApprovalDecided'>['data']> = {},
  agent: AgentPath = null,
) =>
  draft(
    'ApprovalDecided',
    {
      approvalId: approvalId(number),
      decision: 'allow',
      toolInput: { command: 'ls' },
      edited: false,
      note: null,
      by: 'ada',
      rule: null,
      wasLive: true,
      ...change,
    },
    { agent },
  )

export const turnStarted = (number: number) =>
  draft('TurnStarted', { messageIds: [messageId(number)], model: 'claude-sonnet-4-6' }, { turnId: turnId(number) })

export const turnEnded = (number: number, response = 'done') =>
  draft(
    'TurnEnded',
    {
      outcome: 'completed',
      result: {
        response,
        toolCalls: [],
        toolResults: [],
        tokenUsage: { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
        structuredOutput: null,
        numTurns: 2,
        isError: false,
        errorReason: null,
      },
      durationMs: 100,
      durationApiMs: 50,
      reportedCostUsd: null,
      modelUsage: { 'claude-sonnet-4-6': { inputTokens: 1, outputTokens: 1 } },
      permissionDenials: [],
    },
    { turnId: turnId(number) },
  )

export const subagentStarted = (agent: readonly string[]) =>
  draft(
    'SubagentStarted',
    {
      agentId: agent.join('-'),
      agentType: 'explorer',
      parentToolUseId: agent.at(-1) ?? '',
      description: 'Looks around',
    },
    { agent: [...agent] },
  )

export const subagentStopped = (agent: readonly string[], isError = false) =>
  draft(
    'SubagentStopped',
    { agentId: agent.join('-'), parentToolUseId: agent.at(-1) ?? '', isError, summary: 'Found it\nin detail' },
    { agent: [...agent] },
  )

export const subagentThought = (agent: readonly string[], message: string) =>
  draft(
    'SubagentThought',
    { parentToolUseId: agent.at(-1) ?? '', text: 'hm', messageId: message },
    { agent: [...agent] },
  )

export const discarded = (message: string) =>
  draft('AgentStreamDiscarded', { text: 'half', messageId: message, reason: 'the stream broke' })

export const recovered = draft('AgentSessionRecovered', {
  interruptedTurn: true,
  outcomeUnknown: [{ toolUseId: 'tool_1', toolName: 'Bash' }],
  openApprovals: 1,
})

/** The same numbers for the same seed, everywhere. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

/** A random log of about `length` events; about one event in eight follows streamed text. */
export function randomLog(seed: number, length: number): StreamedEvent[] {
  const random = createRandom(seed)
  const agents: AgentPath[] = [null, null, ['task_1'], ['task_2'], ['task_1', 'task_3'], ['lost', 'child']]
  const agent = () => agents[random(agents.length)] ?? null
  const subagent = () => agents[2 + random(4)] ?? ['task_1']
  const makers: (() => EventDraft)[] = [
    () => queued(random(30)),
    () => delivered(random(30)),
    () => turnStarted(random(30)),
    () => turnEnded(random(30)),
    () => invoked(`tool_${random(40)}`, agent()),
    () => executed(`tool_${random(40)}`, agent(), random(4) === 0),
    () => thought(`thought ${random(100)}`, `msg_${random(40)}`),
    () => used(`msg_${random(40)}`, random(5) === 0 ? null : random(100) / 1000, random(2) === 0 ? 'a' : 'b'),
    () => used(`msg_tool_${random(40)}`),
    () => requested(random(20), agent()),
    () => decided(random(20), { wasLive: random(2) === 0 }, agent()),
    () => subagentStarted(subagent()),
    () => subagentStopped(subagent(), random(3) === 0),
    () => subagentThought(subagent(), `msg_${random(40)}`),
    () => discarded(`msg_${random(40)}`),
    () => recovered,
    () => draft('ApprovalExpired', { approvalId: approvalId(random(20)) }, { agent: agent() }),
    () => draft('BackendCrashed', { exitCode: 1, signal: null, stderr: '' }),
  ]
  const drafts = Array.from({ length }, () => (makers[random(makers.length)] ?? (() => recovered))())
  return logOf([created, ...drafts]).flatMap((event): StreamedEvent[] => {
    if (random(8) !== 0) return [event]
    const data = { text: `t${random(10)}`, messageId: `msg_${random(40)}`, kind: 'text' as const }
    return [{ type: random(3) === 0 ? 'AgentStreamSnapshot' : 'AgentStreamToken', agent: null, data }, event]
  })
}

/** The same list split into batches at random positions; some batches are empty. */
export function cut<Item>(items: readonly Item[], random: (below: number) => number): Item[][] {
  const batches: Item[][] = []
  for (let at = 0; at < items.length; ) {
    const size = random(12)
    batches.push(items.slice(at, at + size))
    at += size
  }
  return batches
}
