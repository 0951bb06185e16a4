// The typed client for Node and browsers: HTTP with server-sent events, WebSocket, and analyses.
export type { AnalysisConnection, FollowedAnalysisOptions } from './analysis/analysis-connection.ts'
export { type AnalyzeOptions, type AskedAnalysis, type AttendedAnalysisOptions, analyze } from './analysis/analyze.ts'
export {
  type ResumeAnalysisOptions,
  resumeAnalysis,
  type WatchAnalysisOptions,
  watchAnalysis,
} from './analysis/resume-analysis.ts'
export type { AnalysisTool, AnalysisToolCall } from './analysis/run-analysis-tool.ts'
export { type ChangeOptions, type Client, type ClientOptions, createClient } from './create-client.ts'
export {
  type CallOptions,
  createSocketClient,
  type SocketClient,
  type SocketClientOptions,
} from './create-socket-client.ts'
export { refusalOf } from './http/refusal.ts'
export { addressOf, type OperationInput, type OperationSender, sendOperation } from './http/send-operation.ts'
export type { RpcAnswerOf, RpcAskOf, RpcParamsOf, RpcReplyOf, RpcRequestMethod } from './socket/rpc-types.ts'
export type { AskHandler } from './socket/socket-asks.ts'
export type { SocketConstructor, SocketLike } from './socket/socket-connection.ts'
export { allEvents } from './streaming/all-events.ts'
export type { ConnectionStatus } from './streaming/follow-events.ts'
export { type FollowOptions, followSession } from './streaming/follow-session.ts'
export { readSseFrames, type SseFrame } from './streaming/sse-frames.ts'
