// The engine's door: what the server and the command line stand on.
export type { AgentBackend, BackendEvent, InProcessAccess, ModelAccess } from './backends/backend.ts'
export {
  BackendBudgetError,
  BackendError,
  BackendInitError,
  BackendSessionError,
  BackendTimeoutError,
} from './backends/backend-errors.ts'
export { claudeExecutable } from './backends/claude/claude-executable.ts'
export { emptyResult } from './backends/empty-result.ts'
export { createScriptedBackend } from './backends/scripted/create-scripted-backend.ts'
export { agentSchemaText, configSchemaText } from './config/agent-schema.ts'
export { createAgentShelf } from './config/agent-shelf.ts'
export type { AgentTests } from './config/agent-tests.ts'
export { addMcpTool, type McpEntry, removeMcpTool } from './config/edit-mcp-tools.ts'
export { formatProblem } from './config/problem.ts'
export { readServerSettings, type ServerSettings } from './config/server-settings.ts'
export { validateFiles } from './config/validate-files.ts'
export { createEngine, type Engine, type EngineOptions } from './create-engine.ts'
export { dataFolders } from './data-folders.ts'
export { refuseUnsupportedTests } from './evals/refuse-unsupported-tests.ts'
export { type CaseResult, exitCodeOfReport, type TestReport, type TurnResult } from './evals/report.ts'
export { costOfTurns, reportJson } from './evals/report-json.ts'
export { runTests } from './evals/run-tests.ts'
export { createHookPoints, type EngineHooks, type HookHandler } from './hooks/create-hook-points.ts'
export { type HookEvent, hookEvents } from './hooks/hook-event.ts'
export { probeIsolation } from './isolation/probe-isolation.ts'
export type { EmbeddingAccess, GatewayDecisions, ModelGateway } from './model-gateway.ts'
export { openKeyRing } from './open-key-ring.ts'
export { openLog } from './open-log.ts'
export { tryEmbedder } from './retrieval/try-embedder.ts'
export type { AgentShelf, Decision, EventSink, SessionService } from './sessions/session-service.ts'
export { folderFailure } from './store/store-errors.ts'
export { createLogger } from './telemetry/create-logger.ts'
export { type Logger, silentLogger } from './telemetry/logger.ts'
export { tryTool } from './toolbox/try-tool.ts'
