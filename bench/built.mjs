// Internal modules of the built packages that measurements need and that no package exports.
/** @typedef {import("../packages/engine/dist/store/ports/event-store.js").EventStore} EventStore */

export { claudeFolders, prepareFolders } from '../packages/engine/dist/backends/claude/cli/claude-folders.js'
export {
  cliEnvironment,
  defaultRequestRetryPolicy,
} from '../packages/engine/dist/backends/claude/cli/cli-environment.js'
export { createMessageQueue } from '../packages/engine/dist/backends/claude/cli/message-queue.js'
export { sdkOptions } from '../packages/engine/dist/backends/claude/cli/sdk-options.js'
export { createClaudeBackend } from '../packages/engine/dist/backends/claude/create-claude-backend.js'
export { createAgentSession } from '../packages/engine/dist/backends/driver/create-agent-session.js'
export { invokeOnce } from '../packages/engine/dist/backends/driver/invoke-once.js'
export { emptyTurn, endTurn } from '../packages/engine/dist/backends/driver/turn-record.js'
export { createLoopBackend } from '../packages/engine/dist/backends/loop/create-loop-backend.js'
export { makeScratchFolder } from '../packages/engine/dist/isolation/scratch-folder.js'
export { availableTools } from '../packages/engine/dist/permissions/tools/available-tools.js'
export { createSqlStore } from '../packages/engine/dist/store/sql/create-sql-store.js'
export { openCallKey } from '../packages/engine/dist/store/sql/database/open-call-key.js'
export { randomIds } from '../packages/engine/dist/system/random-ids.js'
