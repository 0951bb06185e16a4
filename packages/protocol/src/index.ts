// The public names of the contract, listed one by one: events, commands, errors, operations, models, projections.

export { mayDo, type Permission, type Principal, requireScope, Scope, starterOf } from './access/scope.ts'
export {
  allowsMore,
  EffectClass,
  formatRule,
  PermissionMode,
  PermissionRule,
  parseRule,
} from './access/tool-permissions.ts'
export { formatUnsavedMessages, parseUnsavedMessages } from './agent-messages/unsaved-messages.ts'
export {
  continueMessage,
  formatAnswer,
  formatApprovedCall,
  formatDeniedCall,
  formatResult,
  formatStoppedCall,
  isContinueMessage,
  isWakeMessage,
  parseAnswers,
  parseApprovedCalls,
  parseDeniedCalls,
  parseResults,
  type WakeCall,
} from './agent-messages/wake-message.ts'
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
} from './agents/agent-definition.ts'
export { AgentHook } from './agents/agent-hook.ts'
export {
  AgentTool,
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
  VectorstoreTool,
} from './agents/agent-tool.ts'
export {
  type AnalysisCursor,
  AnalysisEvent,
  formatAnalysisCursor,
  parseAnalysisCursor,
  sessionExpired,
} from './analyze/analysis-event.ts'
export { formatTableList, parseTableList, sqlWriterMark } from './analyze/analysis-marks.ts'
export { AnalysisResult, AnalysisUsage, FinalAnswer } from './analyze/analysis-result.ts'
export { analysisTools, finalAnswerTool } from './analyze/analysis-tools.ts'
export {
  AnalyzeBody,
  AnalyzedTable,
  AnalyzeStarted,
  ColumnSummary,
  GeneratedSql,
  GenerateSqlBody,
  PrivacyLevel,
  ToolResultBody,
} from './analyze/analyze-body.ts'
export { type BrowserTool, readToolInput, type ToolInput } from './analyze/tool-inputs.ts'
export { unlessAborted, untilAborted } from './async/abort.ts'
export { createEmitter, type Emitter } from './async/emitter.ts'
export { neverAborted } from './async/never-aborted.ts'
export { createSerialQueue, type SerialQueue } from './async/serial-queue.ts'
export { backoffDelay, sleep, withTimeout } from './async/timing.ts'
export { createWakeSignal } from './async/wake-signal.ts'
export type {
  AnswerAsk,
  ApprovalAnswer,
  AskAnswer,
  AttachClient,
  CancelMessage,
  CancelSession,
  ChangeSettings,
  ClientCallAnswer,
  CloseSession,
  Command,
  CreateSession,
  DetachClient,
  EditMessage,
  EndTurn,
  ExpireAsk,
  HibernateSession,
  InterruptTurn,
  LimitStop,
  MissAnswers,
  NoteFork,
  PauseSession,
  PromoteMessage,
  QuestionAnswer,
  RecoverSession,
  RequestAsk,
  ResumeSession,
  RevokeRule,
  RewindConversation,
  SendMessage,
  StartTurn,
  SteerTurn,
  TakeUpAsk,
  UseGrant,
  WakeSession,
} from './commands/command.ts'
export { checkElicited } from './elicitation/check-elicited.ts'
export { type ElicitedValue, elicitedAnswers, readElicited } from './elicitation/elicited-answers.ts'
export { type ElicitedField, elicitedFields, type FieldValue, initialValues } from './elicitation/elicited-fields.ts'
export { hasErrorCode } from './errors/has-error-code.ts'
export { messageOf } from './errors/message-of.ts'
export { parseInput } from './errors/parse-input.ts'
export {
  type ErrorCode,
  type ErrorFacts,
  errorCodes,
  errorKind,
  isQuarterdeckError,
  Problem,
  problemOf,
  QuarterdeckError,
} from './errors/quarterdeck-error.ts'
export { AgentStreamSnapshot, AgentStreamToken, QueuePlaceChanged, QueuePosition } from './events/content.ts'
export { AgentPath } from './events/envelope.ts'
export { ModelUsage, SessionMode, Thinking } from './events/lifecycle.ts'
export { MessageDelivery, type UnsavedMessage } from './events/messages.ts'
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
export { actorOf, reasonBy } from './events/status-reason.ts'
export { TurnOutcome } from './events/turns.ts'
export { Unreported, UnreportedAnswer, UnreportedDecision, UnreportedResult } from './events/unreported.ts'
export { formatCount } from './format/count.ts'
export { cutOffText } from './format/cut-off-text.ts'
export { cutText, ellipsize, lastPart } from './format/cut-text.ts'
export { formatDuration } from './format/duration.ts'
export { modelLabel, type NamedModel } from './format/model-label.ts'
export {
  formatLimit,
  formatSaved,
  formatSpent,
  formatSpentOfLimit,
  formatUnits,
  formatUsd,
} from './format/money.ts'
export { type OfferedRule, offeredRules } from './format/offered-rules.ts'
export { outputExcerpt } from './format/output-excerpt.ts'
export { visibleJson, visibleText } from './format/visible-text.ts'
export { charactersPerToken, estimateCharacters, estimateTokens } from './models/estimate-tokens.ts'
export { misspelledModel } from './models/misspelled-model.ts'
export {
  autoLabel,
  autoModel,
  type CatalogModel,
  defaultBudgetUsd,
  findModel,
  ModelPrice,
  ModelTier,
  modelCatalog,
  resolveModelId,
  simulatorModel,
  tierMultiplier,
} from './models/model-catalog.ts'
export type {
  GatewayDecisions,
  KeyRefused,
  ModelRequest,
  ModelRetry,
  ModelUse,
  ModelVerdict,
  RateQueuePosition,
  RequestAdmission,
  RequestEstimate,
  RequestName,
  RequestRefusal,
  RequestTicket,
  RequestUse,
} from './models/model-requests.ts'
export { hasFreeModelNames, modelAliasesFor, modelsForAgent } from './models/models-for-agent.ts'
export { highCostOf, priceOf, unitsOf } from './models/price-tokens.ts'
export { addTokens, mostTokens, sanitizeTokens, TokenCounts } from './models/token-counts.ts'
export { AgentChange, AgentSummary, DecideAgentChangeBody } from './operations/agents.ts'
export { AnalyzeQuery, analysisOperations } from './operations/analyze.ts'
export { ApprovalList, DecideApprovalBody } from './operations/approvals.ts'
export { ReturnClientCallBody } from './operations/clients.ts'
export { EventPage, EventsQuery, parseCursor } from './operations/events.ts'
export { CreatedKey, CreateKeyBody, KeySummary, keyOperations } from './operations/keys.ts'
export { SendMessageBody } from './operations/messages.ts'
export {
  Budget,
  BudgetBody,
  BudgetList,
  BudgetPeriod,
  BudgetUnit,
  budgetLabel,
  UsageGroup,
  UsageQuery,
  UsageRow,
} from './operations/money.ts'
export type { Operation, PathNames } from './operations/operation.ts'
export type { ClientMethod, Implementations, OperationFunction, ParsingMethods } from './operations/operation-types.ts'
export { implementationOf, mapOperations } from './operations/operation-types.ts'
export { type OperationName, operationGroups, operations, sessionServiceOperations } from './operations/operations.ts'
export {
  Inbox,
  InboxItem,
  Queue,
  WarmedAgent,
} from './operations/oversight.ts'
export { type PathIdName, pathIds, pathNames, requirePathId, unknownId } from './operations/path-ids.ts'
export { AnswerQuestionBody, QuestionList } from './operations/questions.ts'
export { ModelSummary, ServerInfo } from './operations/server.ts'
export {
  Applied,
  Capabilities,
  ChangeSessionBody,
  CreateSessionBody,
  ForkSessionBody,
  History,
  ListSessionsQuery,
  messageLimit,
  RewindReport,
  RewindSessionBody,
  SessionPage,
  SessionSnapshot,
} from './operations/sessions.ts'
export { withParsedInput } from './operations/with-parsed-input.ts'
export { agentKey, type CostRow, type Costs, emptyCosts, foldCosts } from './projections/costs.ts'
export { noticeOf } from './projections/notice.ts'
export {
  type Ask,
  type AskWith,
  askIdOf,
  askOpenedBy,
  askSettledBy,
  findAsk,
  openAsks,
} from './projections/session/ask.ts'
export { buildReport, lateResult } from './projections/session/build-report.ts'
export { leaderOf } from './projections/session/fold-clients.ts'
export { foldSession } from './projections/session/fold-session.ts'
export { addModelUsage, countTurn } from './projections/session/fold-turns.ts'
export { resumeObstacle } from './projections/session/resume-obstacle.ts'
export {
  AttachedClient,
  isOutOfOwnMoney,
  isOutOfTime,
  OpenApproval,
  OpenClientCall,
  OpenQuestion,
  QueuedMessage,
  SessionState,
} from './projections/session/session-state.ts'
export {
  childrenOf,
  emptySubagentTree,
  foldSubagentTree,
  type SubagentNode,
  type SubagentTree,
} from './projections/subagent-tree.ts'
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
} from './projections/transcript.ts'
export { callInputOf } from './rpc/call-input.ts'
export { type ClientChange, clientChangeOf } from './rpc/client-change.ts'
export {
  type RpcMethod,
  rpcErrorCodes,
  rpcMethods,
  rpcRequests,
  SubscribeParams,
  UnsubscribeParams,
} from './rpc/rpc-methods.ts'
export { socketPath, socketProtocol, tokenProtocolPrefix } from './rpc/socket-address.ts'
export { assertNever } from './values/assert-never.ts'
export {
  ExecutionResult,
  errorReasons,
  executionResultToJson,
  TokenUsage,
  ToolCallRecord,
  ToolResultRecord,
} from './values/execution-result.ts'
export {
  ApprovalId,
  type AskId,
  askIdPrefixes,
  BudgetId,
  ClientCallId,
  EventId,
  QuestionId,
  SessionId,
  TurnId,
  UserMessageId,
} from './values/ids.ts'
export { InputImage, imageBytes, imageLimits, imageTypeOf, isBase64, MessageImages } from './values/input-image.ts'
export { asJsonObject, isRecord, JsonObject } from './values/json.ts'
export { parseJson } from './values/parse-json.ts'
export {
  isBusyStatus,
  isClosedStatus,
  isUnfinishedStatus,
  SessionStatus,
  unfinishedStatuses,
} from './values/session-status.ts'
