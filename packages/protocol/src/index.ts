// The door of the contract: every name listed once. A name exported is a promise.
export { mayDo, type Permission, type Principal, requireScope, Scope, starterOf } from './access.ts'
export {
  AgentDefinition,
  AgentName,
  ApprovalPolicy,
  AuthProvider,
  BackendName,
  ClaudeSettings,
  Instructions,
  Limits,
  ModelProvider,
  ModelSource,
  SubagentDefinition,
  TraceSettings,
} from './agent.ts'
export { AgentHook } from './agent-hook.ts'
export {
  AgentTool,
  ClientSideTool,
  EmbeddingSettings,
  FunctionTool,
  HierarchicalDocumentTool,
  isRetrievalTool,
  McpTool,
  McpTransport,
  PromptTool,
  RetrievalTool,
  SkillTool,
  ToolFiltering,
  ToolName,
  VectorstoreTool,
} from './agent-tool.ts'
export {
  type AnalysisCursor,
  AnalysisEvent,
  formatAnalysisCursor,
  parseAnalysisCursor,
  sessionExpired,
} from './analyze/analysis-event.ts'
export { formatTableList, parseTableList, sqlWriterMark } from './analyze/analysis-marks.ts'
export { AnalysisResult, AnalysisUsage, chartTypes, FinalAnswer } from './analyze/analysis-result.ts'
export { analysisTools, browserTools, finalAnswerTool } from './analyze/analysis-tools.ts'
export {
  AnalyzeBody,
  AnalyzedTable,
  AnalyzeStarted,
  ColumnSummary,
  GeneratedSql,
  GenerateSqlBody,
  PrivacyLevel,
  ToolResultBody,
  ToolResultTaken,
} from './analyze/analyze-body.ts'
export { AnalyzeQuery, analyzeRoutes } from './analyze/analyze-routes.ts'
export { type BrowserTool, readToolInput, type ToolInput } from './analyze/tool-inputs.ts'
export { apiRoutes } from './api/api-routes.ts'
export { ApprovalList, approvalRoutes, DecideApprovalBody, ListApprovalsQuery } from './api/approvals.ts'
export { ClientCallList, clientRoutes, ReturnClientCallBody } from './api/clients.ts'
export { EventPage, EventsQuery, eventRoutes, parseCursor } from './api/events.ts'
export { CreatedKey, CreateKeyBody, KeyName, KeySummary, keyRoutes } from './api/keys.ts'
export { MessageAccepted, messageRoutes, PromoteMessageBody, SendMessageBody } from './api/messages.ts'
export {
  Budget,
  BudgetBody,
  BudgetPeriod,
  BudgetUnit,
  moneyRoutes,
  UsageGroup,
  UsageQuery,
  UsageReport,
  UsageRow,
} from './api/money.ts'
export {
  AgentChange,
  AuditEntry,
  AuditQuery,
  AuditVerdict,
  DecideAgentChangeBody,
  Inbox,
  InboxItem,
  oversightRoutes,
  Queue,
} from './api/oversight.ts'
export { AnswerQuestionBody, ListQuestionsQuery, QuestionList, questionRoutes } from './api/questions.ts'
export type { Route } from './api/route.ts'
export { AgentSummary, ModelSummary, ServerInfo, serverRoutes } from './api/server-info.ts'
export {
  Applied,
  Capabilities,
  ChangeSessionBody,
  ClientDeclaration,
  CreateSessionBody,
  ForkSessionBody,
  History,
  ListSessionsQuery,
  messageLimit,
  RewindReport,
  RewindSessionBody,
  SessionPage,
  SessionSnapshot,
  sessionRoutes,
} from './api/sessions.ts'
export { assertNever } from './assert-never.ts'
export { addressOf } from './client/address-of.ts'
export type { AnalysisConnection, FollowedAnalysisOptions } from './client/analysis-connection.ts'
export {
  type AnalyzeOptions,
  type AskedAnalysis,
  type AttendedAnalysisOptions,
  analyze,
} from './client/analyze.ts'
export { type ChangeOptions, type Client, type ClientOptions, createClient } from './client/create-client.ts'
export {
  type CallOptions,
  createSocketClient,
  type SocketClient,
  type SocketClientOptions,
} from './client/create-socket-client.ts'
export type { ConnectionStatus } from './client/follow-events.ts'
export { type FollowOptions, followSession } from './client/follow-session.ts'
export { refusalOf } from './client/refusal.ts'
export {
  type ResumeAnalysisOptions,
  resumeAnalysis,
  type WatchAnalysisOptions,
  watchAnalysis,
} from './client/resume-analysis.ts'
export type { AnalysisTool, AnalysisToolCall } from './client/run-analysis-tool.ts'
export { type RouteInput, type RouteSender, sendRoute } from './client/send-route.ts'
export type { AskHandler } from './client/socket-asks.ts'
export type { SocketConstructor, SocketLike } from './client/socket-connection.ts'
export { readSseFrames, type SseFrame } from './client/sse-frames.ts'
export type {
  AnswerQuestion,
  AskQuestion,
  AttachClient,
  CallClient,
  CancelMessage,
  CancelSession,
  ChangeSettings,
  CloseSession,
  Command,
  ConfirmCancel,
  CreateSession,
  DecideApproval,
  DetachClient,
  EditMessage,
  EndTurn,
  ExpireApproval,
  ExpireClientCall,
  ExpireQuestion,
  HibernateSession,
  InterruptTurn,
  MissAnswers,
  NoteFork,
  PauseSession,
  PromoteMessage,
  RecoverSession,
  RequestApproval,
  ResumeSession,
  ReturnClientCall,
  RevokeRule,
  RewindConversation,
  SendMessage,
  StartTurn,
  SteerTurn,
  TakeUpApproval,
  TakeUpClientCall,
  TakeUpQuestion,
  TurnStop,
  UseGrant,
  WakeSession,
} from './commands.ts'
export {
  type ErrorCode,
  errorCodes,
  errorKind,
  isQuarterdeckError,
  Problem,
  problemOf,
  QuarterdeckError,
} from './errors.ts'
export { AgentStreamSnapshot, AgentStreamToken, QueuePlace, QueuePlaceChanged } from './events/content.ts'
export { AgentPath } from './events/envelope.ts'
export { BudgetSum, ModelUsage, SessionMode, Thinking } from './events/lifecycle.ts'
export { MessageDelivery, MessageOrigin } from './events/messages.ts'
export { ApprovalDecision, ClientTool } from './events/people.ts'
export { QuestionItem } from './events/question-item.ts'
export {
  draft,
  EphemeralEvent,
  type EventDraft,
  type EventOfType,
  type EventType,
  isDurable,
  SessionEvent,
  type StreamedEvent,
} from './events/session-event.ts'
export { TurnOutcome } from './events/turns.ts'
export { Untold, UntoldAnswer, UntoldDecision, UntoldResult } from './events/untold.ts'
export {
  ExecutionResult,
  errorReasons,
  executionResultToJson,
  TokenUsage,
  ToolCallRecord,
  ToolResultRecord,
} from './execution-result.ts'
export { budgetWords } from './format/budget-words.ts'
export { formatDuration } from './format/duration.ts'
export { modelLabel, type NamedModel } from './format/model-label.ts'
export { formatLimit, formatSaved, formatSpent, formatUnits, formatUsd } from './format/money.ts'
export { goOnMessage, isGoOnMessage } from './go-on-message.ts'
export { ApprovalId, BudgetId, ClientCallId, EventId, QuestionId, SessionId, TurnId, UserMessageId } from './ids.ts'
export { InputImage, imageBytes, imageLimits, imageTypeOf, isBase64, MessageImages } from './input-image.ts'
export { JsonObject } from './json.ts'
export { misspelledModel } from './misspelled-model.ts'
export {
  addTokens,
  autoLabel,
  autoModel,
  type CacheWeights,
  type CatalogModel,
  defaultBudgetUsd,
  findModel,
  highCostOf,
  ModelPrice,
  ModelTier,
  modelCatalog,
  mostTokens,
  priceOf,
  resolveModelId,
  simulatorModel,
  soundTokens,
  TokenCounts,
  tierMultiplier,
  unitsOf,
} from './models.ts'
export { hasFreeModelNames, modelsForAgent, modelWordsFor } from './models-for-agent.ts'
export { type OfferedRule, offeredRules } from './offered-rules.ts'
export { outputExcerpt } from './output-excerpt.ts'
export { parseJson } from './parse-json.ts'
export { allowsMore, EffectClass, formatRule, PermissionMode, PermissionRule, parseRule } from './permissions.ts'
export { agentKey, type CostRow, type Costs, emptyCosts, foldCosts } from './projection/costs.ts'
export { type Notice, noticeOf } from './projection/notice.ts'
export { untoldDecision } from './projection/session/fold-approvals.ts'
export { lateResult, leaderOf, untoldAnswer, untoldResult } from './projection/session/fold-asks.ts'
export { foldSession } from './projection/session/fold-session.ts'
export { countTurn } from './projection/session/fold-turns.ts'
export { isOutOfOwnMoney } from './projection/session/is-out-of-own-money.ts'
export { isOutOfTime } from './projection/session/is-out-of-time.ts'
export {
  AttachedClient,
  DecidedApproval,
  Grant,
  OpenApproval,
  OpenClientCall,
  OpenQuestion,
  QueuedMessage,
  SessionState,
  SettledAsk,
} from './projection/session/session-state.ts'
export {
  childrenOf,
  emptySubagentTree,
  foldSubagentTree,
  type SubagentNode,
  type SubagentTree,
} from './projection/subagent-tree.ts'
export {
  type ApprovalItem,
  type ClientCallItem,
  emptyTranscript,
  foldTranscript,
  type NoticeItem,
  type QuestionEntry,
  type TextItem,
  type ToolItem,
  type Transcript,
  type TranscriptItem,
  type TurnItem,
  type UserItem,
} from './projection/transcript.ts'
export { callInputOf, type RpcCallInput } from './rpc/call-input.ts'
export {
  type EndedNotification,
  type EventNotification,
  type RpcMethod,
  rpcErrorCodes,
  rpcMethods,
  rpcRequests,
  Subscribed,
  SubscribeParams,
  UnsubscribeParams,
} from './rpc/rpc-methods.ts'
export type {
  RpcAnswerOf,
  RpcAskOf,
  RpcParamsOf,
  RpcReplyOf,
  RpcRequestMethod,
} from './rpc/rpc-types.ts'
export { isBusyStatus, isClosedStatus, SessionStatus } from './session-status.ts'
export { visibleJson, visibleText } from './visible-text.ts'
export {
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
  formatStoppedCall,
  isWakeMessage,
  parseAnswers,
  parseApprovedCalls,
  parseDeniedCalls,
  parseResults,
  type WakeAnswer,
  type WakeCall,
  type WakeDenial,
  type WakeResult,
} from './wake-message.ts'
export { cutText, wholeText } from './whole-text.ts'
