import { z } from 'zod'
import { AnalysisEvent } from '../analyze/analysis-event.ts'
import {
  AnalyzeBody,
  AnalyzeStarted,
  GeneratedSql,
  GenerateSqlBody,
  ToolResultBody,
  ToolResultTaken,
} from '../analyze/analyze-body.ts'
import { SessionId } from '../values/ids.ts'
import { operation } from './operation.ts'

/** The agent that analyses, if the server has several; a compatibility listener has its own. */
const AgentQuery = z.strictObject({ agent: z.string().max(200).optional() })

/** Either an existing analysis (`sessionId`, with `after` as the start), or a new one. */
export const AnalyzeQuery = z.strictObject({
  ...AgentQuery.shape,
  sessionId: SessionId.optional(),
  after: z.string().max(40).optional(),
  question: z.string().optional(),
  /** The tables, as JSON. */
  schema: z.string().optional(),
  tier: z.string().optional(),
  thinking: z.enum(['true', 'false', '1', '0', '']).optional(),
})
export type AnalyzeQuery = z.infer<typeof AnalyzeQuery>

const agentErrors = ['agent.not-found', 'config.invalid', 'config.missing-credential', 'model.unknown'] as const
const startErrors = [...agentErrors, 'session.not-found', 'session.busy', 'session.closed'] as const

export const analysisOperations = {
  startAnalysis: operation({
    method: 'post',
    path: '/api/analyze',
    rpc: null,
    summary: 'Ask a question about tables, ask another one, or wake an analysis that was parked',
    status: 201,
    permission: 'work',
    belongsTo: 'implementation',
    startsWork: true,
    query: AgentQuery,
    body: AnalyzeBody,
    reply: AnalyzeStarted,
    errors: startErrors,
  }),
  streamAnalysis: operation({
    method: 'get',
    path: '/api/analyze',
    rpc: null,
    summary: 'Stream an analysis as server-sent events; `question` and `schema` also start it',
    permission: 'read',
    belongsTo: 'implementation',
    startsWork: true,
    eventStream: 'only',
    query: AnalyzeQuery,
    reply: AnalysisEvent,
    errors: [...startErrors, 'request.uri-too-long', 'cursor.malformed', 'cursor.beyond-log'],
  }),
  cancelAnalysis: operation({
    method: 'delete',
    path: '/api/analyze',
    rpc: null,
    summary: 'Stop an analysis; its results stay, and it accepts further questions',
    status: 202,
    permission: 'work',
    belongsTo: 'implementation',
    query: z.strictObject({ sessionId: SessionId }),
    reply: z.object({ sessionId: SessionId }),
    errors: ['session.not-found'],
  }),
  returnToolResult: operation({
    method: 'post',
    path: '/api/analyze/tool-result',
    rpc: null,
    summary: 'Return the result of a tool, once; needs the tool token of the analysis in `x-tool-token`',
    status: 202,
    permission: 'work',
    belongsTo: 'implementation',
    requestHeaders: { 'X-Tool-Token': z.string() },
    body: ToolResultBody,
    reply: ToolResultTaken,
    errors: [
      ...(['session.not-found', 'client-call.not-found', 'client-call.already-returned'] as const),
      ...(['analysis.expired', 'auth.forbidden', 'session.busy'] as const),
    ],
  }),
  generateSql: operation({
    method: 'post',
    path: '/api/generate-sql',
    rpc: null,
    summary: 'Write one query for a question about tables, with a model that has no tools',
    permission: 'work',
    belongsTo: 'none',
    startsWork: true,
    query: AgentQuery,
    body: GenerateSqlBody,
    reply: GeneratedSql,
    errors: [...agentErrors, 'analysis.no-sql', 'analysis.failed'],
  }),
}
