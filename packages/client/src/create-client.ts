// The typed client for Node and browsers. It never repeats a change by itself: that is the caller's choice.

import type {
  AnalyzedTable,
  ApprovalId,
  BudgetId,
  ClientCallId,
  GenerateSqlBody,
  PermissionRule,
  QuestionId,
  Route,
  SessionId,
  UserMessageId,
} from '@quarterdeck/protocol'
import {
  type AnswerQuestionBody,
  type AuditQuery,
  analyzeRoutes,
  approvalRoutes,
  type BudgetBody,
  type ChangeSessionBody,
  type ClientDeclaration,
  type CreateKeyBody,
  type CreateSessionBody,
  clientRoutes,
  type DecideAgentChangeBody,
  type DecideApprovalBody,
  type EventsQuery,
  eventRoutes,
  type ForkSessionBody,
  keyRoutes,
  type ListApprovalsQuery,
  type ListQuestionsQuery,
  type ListSessionsQuery,
  type ModelsQuery,
  messageRoutes,
  moneyRoutes,
  oversightRoutes,
  type PromoteMessageBody,
  QuarterdeckError,
  questionRoutes,
  type ReturnClientCallBody,
  type RewindSessionBody,
  type SendMessageBody,
  serverRoutes,
  sessionRoutes,
  type UsageQuery,
} from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { AnalysisConnection } from './analysis/analysis-connection.ts'
import { type AnalyzeOptions, analyze } from './analysis/analyze.ts'
import {
  type ResumeAnalysisOptions,
  resumeAnalysis,
  type WatchAnalysisOptions,
  watchAnalysis,
} from './analysis/resume-analysis.ts'
import { addressOf, type RouteInput, sendRoute } from './http/send-route.ts'
import { type FollowOptions, followSession } from './streaming/follow-session.ts'

export interface ClientOptions {
  /** The address of the server, for example `http://127.0.0.1:4300`; empty for the page's own origin. */
  readonly baseUrl: string
  /** The access token. A browser with a login cookie needs none. */
  readonly token?: string
  readonly fetch?: typeof fetch
}

/** Aborts a read. */
interface ReadOptions {
  readonly signal?: AbortSignal
}

/** Options of every change. */
export interface ChangeOptions extends ReadOptions {
  /**
   * Makes the change idempotent: sent again with the same key it happens once, and the server repeats its first answer.
   * The server remembers keys for 24 hours. Without a key each call is a new change, so callers that retry must pass
   * one.
   */
  readonly key?: string
}

type CallInput = ChangeOptions & Omit<RouteInput, 'idempotencyKey'>

export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis)
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  async function call<One extends Route>(route: One, input: CallInput = {}): Promise<z.infer<One['reply']>> {
    const { key = crypto.randomUUID(), ...rest } = input
    const value = await sendRoute(options, route, {
      ...rest,
      headers: { ...headers, ...input.headers },
      ...(route.method === 'get' ? {} : { idempotencyKey: key }),
    })
    const reply = route.reply.safeParse(value)
    // The reply's schema belongs to the route; TypeScript cannot carry that through the generic lookup.
    if (reply.success) return reply.data as z.infer<One['reply']>
    const what = `the answer of ${options.baseUrl || 'the server'} to ${route.method.toUpperCase()} ${route.path}`
    const detail = `${what} cannot be read: it is another version of Quarterdeck, or not Quarterdeck at all`
    throw new QuarterdeckError('internal', detail, { cause: reply.error })
  }

  const analysisConnection: AnalysisConnection = {
    start: (body, { agent, ...change }) => call(analyzeRoutes.start, { query: { agent }, body, ...change }),
    open: (streamUrl, lastEventId, signal) =>
      send(options.baseUrl + streamUrl, {
        headers: {
          ...headers,
          accept: 'text/event-stream',
          ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
        },
        cache: 'no-store',
        signal,
      }),
    returnResult: (body, toolToken, signal) =>
      call(analyzeRoutes.toolResult, { body, headers: { 'x-tool-token': toolToken }, signal }),
    cancel: (sessionId) => call(analyzeRoutes.cancel, { query: { sessionId } }),
  }

  return {
    createSession: (body: CreateSessionBody, change: ChangeOptions = {}) =>
      call(sessionRoutes.create, { body, ...change }),
    listSessions: (query: ListSessionsQuery = {}) =>
      call(sessionRoutes.list, { query: { ...query } as CallInput['query'] & {} }),
    getSession: (sessionId: SessionId) => call(sessionRoutes.get, { params: { sessionId } }),
    sendMessage: (sessionId: SessionId, body: SendMessageBody, change: ChangeOptions = {}) =>
      call(messageRoutes.send, { params: { sessionId }, body, ...change }),
    interrupt: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.interrupt, { params: { sessionId }, ...change }),
    cancel: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.cancel, { params: { sessionId }, ...change }),
    close: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.close, { params: { sessionId }, ...change }),
    changeSession: (sessionId: SessionId, body: ChangeSessionBody, change: ChangeOptions = {}) =>
      call(sessionRoutes.change, { params: { sessionId }, body, ...change }),
    deleteSession: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.remove, { params: { sessionId }, ...change }),
    pause: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.pause, { params: { sessionId }, ...change }),
    resume: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.resume, { params: { sessionId }, ...change }),
    fork: (sessionId: SessionId, body: ForkSessionBody = {}, change: ChangeOptions = {}) =>
      call(sessionRoutes.fork, { params: { sessionId }, body, ...change }),
    rewind: (sessionId: SessionId, body: RewindSessionBody, change: ChangeOptions = {}) =>
      call(sessionRoutes.rewind, { params: { sessionId }, body, ...change }),
    wake: (sessionId: SessionId, change: ChangeOptions = {}) =>
      call(sessionRoutes.wake, { params: { sessionId }, ...change }),
    capabilities: (sessionId: SessionId) => call(sessionRoutes.capabilities, { params: { sessionId } }),
    history: (sessionId: SessionId, options: ReadOptions = {}) =>
      call(sessionRoutes.history, { params: { sessionId }, ...options }),
    messageSubagent: (to: { sessionId: SessionId; agentId: string }, content: string, change: ChangeOptions = {}) =>
      call(sessionRoutes.messageSubagent, { params: { ...to }, body: { content }, ...change }),
    revokeRule: (sessionId: SessionId, rule: PermissionRule, change: ChangeOptions = {}) =>
      call(sessionRoutes.revokeRule, { params: { sessionId }, body: rule, ...change }),
    listMessages: (sessionId: SessionId) => call(messageRoutes.list, { params: { sessionId } }),
    editMessage: (
      of: { sessionId: SessionId; messageId: UserMessageId },
      content: string,
      change: ChangeOptions = {},
    ) => call(messageRoutes.edit, { params: { ...of }, body: { content }, ...change }),
    cancelMessage: (sessionId: SessionId, messageId: UserMessageId, change: ChangeOptions = {}) =>
      call(messageRoutes.cancel, { params: { sessionId, messageId }, ...change }),
    promoteMessage: (
      of: { readonly sessionId: SessionId; readonly messageId: UserMessageId },
      body: PromoteMessageBody = {},
      change: ChangeOptions = {},
    ) => call(messageRoutes.promote, { params: { ...of }, body, ...change }),
    readEvents: (sessionId: SessionId, query: EventsQuery = {}, options: ReadOptions = {}) =>
      call(eventRoutes.read, { params: { sessionId }, query: { ...query } as CallInput['query'] & {}, ...options }),
    listApprovals: (query: ListApprovalsQuery = {}) => call(approvalRoutes.list, { query: { ...query } }),
    decideApproval: (approvalId: ApprovalId, body: DecideApprovalBody, change: ChangeOptions = {}) =>
      call(approvalRoutes.decide, { params: { approvalId }, body, ...change }),
    listQuestions: (query: ListQuestionsQuery = {}) => call(questionRoutes.list, { query: { ...query } }),
    answerQuestion: (questionId: QuestionId, body: AnswerQuestionBody, change: ChangeOptions = {}) =>
      call(questionRoutes.answer, { params: { questionId }, body, ...change }),
    attachClient: (sessionId: SessionId, body: ClientDeclaration, change: ChangeOptions = {}) =>
      call(clientRoutes.attach, { params: { sessionId }, body, ...change }),
    detachClient: (sessionId: SessionId, clientId: string, change: ChangeOptions = {}) =>
      call(clientRoutes.detach, { params: { sessionId, clientId }, ...change }),
    listClientCalls: (sessionId: SessionId) => call(clientRoutes.calls, { params: { sessionId } }),
    returnClientCall: (callId: ClientCallId, body: ReturnClientCallBody, change: ChangeOptions = {}) =>
      call(clientRoutes.giveBack, { params: { callId }, body, ...change }),
    usage: (query: UsageQuery = {}) => call(moneyRoutes.usage, { query: { ...query } as CallInput['query'] & {} }),
    listKeys: () => call(keyRoutes.list),
    /** The only reply that contains the token. */
    createKey: (body: CreateKeyBody) => call(keyRoutes.create, { body }),
    revokeKey: (keyName: string) => call(keyRoutes.revoke, { params: { keyName } }),

    listBudgets: () => call(moneyRoutes.budgets),
    createBudget: (body: BudgetBody, change: ChangeOptions = {}) => call(moneyRoutes.createBudget, { body, ...change }),
    changeBudget: (budgetId: BudgetId, limit: number, change: ChangeOptions = {}) =>
      call(moneyRoutes.changeBudget, { params: { budgetId }, body: { limit }, ...change }),
    removeBudget: (budgetId: BudgetId, change: ChangeOptions = {}) =>
      call(moneyRoutes.removeBudget, { params: { budgetId }, ...change }),
    inbox: () => call(oversightRoutes.inbox),
    decideAgentChange: (name: string, body: DecideAgentChangeBody, change: ChangeOptions = {}) =>
      call(oversightRoutes.decideAgentChange, { params: { name }, body, ...change }),
    queue: () => call(oversightRoutes.queue),
    warmAgent: (name: string, change: ChangeOptions = {}) =>
      call(oversightRoutes.warm, { params: { name }, ...change }),
    readAudit: (query: AuditQuery = {}) =>
      call(oversightRoutes.audit, { query: { ...query } as CallInput['query'] & {} }),
    verifyAudit: () => call(oversightRoutes.verifyAudit),
    listAgents: () => call(serverRoutes.agents),
    listModels: (query: ModelsQuery = {}) => call(serverRoutes.models, { query: { ...query } }),
    serverInfo: () => call(serverRoutes.info),
    generateSql: (body: GenerateSqlBody, { agent, ...change }: ChangeOptions & { readonly agent?: string } = {}) =>
      call(analyzeRoutes.generateSql, { query: { agent }, body, ...change }),
    /** Asks a question about the caller's tables. The caller's functions are the tools. Resolves with the answer. */
    analyze: (question: string, tables: readonly AnalyzedTable[], analysis: AnalyzeOptions) =>
      analyze(analysisConnection, { question, tables }, analysis),
    /** Resumes an analysis: runs the waiting calls and reports events since its latest question. */
    resumeAnalysis: (sessionId: SessionId, analysis: ResumeAnalysisOptions) =>
      resumeAnalysis(analysisConnection, sessionId, analysis),
    /** Watches the latest question of an analysis without running tools. */
    watchAnalysis: (sessionId: SessionId, analysis: WatchAnalysisOptions = {}) =>
      watchAnalysis(analysisConnection, sessionId, analysis),
    cancelAnalysis: (sessionId: SessionId) => analysisConnection.cancel(sessionId),
    /** Yields every event after `after`, then live ones. Each arrives exactly once, through lost connections. */
    follow: (sessionId: SessionId, follow: FollowOptions = {}) =>
      followSession(
        {
          open: (after, signal) =>
            send(options.baseUrl + addressOf(eventRoutes.read.path, { params: { sessionId } }), {
              headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(after) },
              cache: 'no-store',
              signal,
            }),
        },
        follow,
      ),
  }
}
