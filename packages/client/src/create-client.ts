// The typed client for Node and browsers. It never repeats a change by itself: that is the caller's choice.

import {
  type AnalyzedTable,
  analysisOperations,
  type ClientMethod,
  type GenerateSqlBody,
  mapOperations,
  type Operation,
  type OperationName,
  operations,
  pathNames,
  QuarterdeckError,
  type SessionId,
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
import { addressOf, type OperationInput, type OperationSender, sendOperation } from './http/send-operation.ts'
import { type FollowOptions, followSession } from './streaming/follow-session.ts'

export interface ClientOptions extends OperationSender {
  /** The access token. A browser with a login cookie needs none. */
  readonly token?: string
}

/** Aborts a read. */
interface ReadOptions {
  readonly signal?: AbortSignal
}

/** Options of every change that accepts an idempotency key. */
export interface ChangeOptions extends ReadOptions {
  /**
   * Makes the change idempotent: sent again with the same key it happens once, and the server repeats its first answer.
   * The server remembers keys for 24 hours. Without a key each call is a new change, so callers that retry must pass
   * one.
   */
  readonly key?: string | undefined
}

type CallInput = ChangeOptions & Omit<OperationInput, 'idempotencyKey'>

/** The operations of the table. Arguments are the ids of the path, then the body or the query, then options. */
type OperationMethods = {
  readonly [Name in OperationName]: ClientMethod<
    (typeof operations)[Name],
    (typeof operations)[Name] extends { method: 'get' } | { refusesIdempotencyKey: string }
      ? ReadOptions
      : ChangeOptions
  >
}

export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const send = options.fetch ?? globalThis.fetch.bind(globalThis)
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }

  async function call<One extends Operation>(operation: One, input: CallInput = {}): Promise<z.output<One['reply']>> {
    const { key = crypto.randomUUID(), ...rest } = input
    const takesKey = operation.method !== 'get' && operation.refusesIdempotencyKey === undefined
    const value = await sendOperation(options, operation, {
      ...rest,
      headers: { ...headers, ...input.headers },
      ...(takesKey ? { idempotencyKey: key } : {}),
    })
    const reply = operation.reply.safeParse(value)
    // The reply's schema belongs to the operation; TypeScript cannot carry that through the generic lookup.
    if (reply.success) return reply.data as z.output<One['reply']>
    const what = `the answer of ${options.baseUrl || 'the server'} to ${operation.method.toUpperCase()} ${operation.path}`
    const detail = `${what} cannot be read: another version of Quarterdeck, or another program, answers there`
    throw new QuarterdeckError('internal', detail, { cause: reply.error })
  }

  const methods = mapOperations<OperationMethods>(
    operations,
    (one) =>
      (...args) =>
        call(one, inputOf(one, args)),
  )

  const analysisConnection: AnalysisConnection = {
    start: (body, { agent, ...change }) =>
      call(analysisOperations.startAnalysis, { query: { agent }, body, ...change }),
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
      call(analysisOperations.returnToolResult, { body, headers: { 'x-tool-token': toolToken }, signal }),
    cancel: (sessionId) => call(analysisOperations.cancelAnalysis, { query: { sessionId } }),
  }

  return {
    ...methods,
    generateSql: (body: GenerateSqlBody, { agent, ...change }: ChangeOptions & { readonly agent?: string } = {}) =>
      call(analysisOperations.generateSql, { query: { agent }, body, ...change }),
    /** Asks a question about the caller's tables. The caller's functions are the tools. Resolves with the answer. */
    analyze: (question: string, tables: readonly AnalyzedTable[], analysis: AnalyzeOptions) =>
      analyze(analysisConnection, { question, tables }, analysis),
    /** Resumes an analysis: runs the waiting calls and reports events since its latest question. */
    resumeAnalysis: (sessionId: string, analysis: ResumeAnalysisOptions) =>
      resumeAnalysis(analysisConnection, unchecked(sessionId), analysis),
    /** Watches the latest question of an analysis without running tools. */
    watchAnalysis: (sessionId: string, analysis: WatchAnalysisOptions = {}) =>
      watchAnalysis(analysisConnection, unchecked(sessionId), analysis),
    cancelAnalysis: (sessionId: string) => analysisConnection.cancel(unchecked(sessionId)),
    /** Yields every event after `after`, then live ones. Each arrives exactly once, through lost connections. */
    follow: (sessionId: string, follow: FollowOptions = {}) =>
      followSession(
        {
          open: (after, signal) =>
            send(options.baseUrl + addressOf(operations.readEvents.path, { params: { sessionId } }), {
              headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(after) },
              cache: 'no-store',
              signal,
            }),
        },
        follow,
      ),
  }
}

/** The server checks ids. */
const unchecked = (sessionId: string): SessionId => sessionId as SessionId

/** The arguments of a method as its request. Their types are those of the method. */
function inputOf({ path, query, body }: Operation, args: readonly unknown[]): CallInput {
  const names = pathNames(path)
  const params = Object.fromEntries(names.map((name, index) => [name, String(args[index])]))
  const rest = args.slice(names.length)
  const [input = {}, options] = query === undefined && body === undefined ? [{}, ...rest] : rest
  return {
    params,
    ...(query === undefined ? {} : { query: input as NonNullable<CallInput['query']> }),
    ...(body === undefined ? {} : { body: input }),
    ...(options as ChangeOptions | undefined),
  }
}
