// The insides of the built packages that a measurement needs and no door offers.
/** @typedef {import("../packages/engine/dist/store/event-store.js").EventStore} EventStore */

export { createClaudeBackend } from '../packages/engine/dist/backends/claude/create-claude-backend.js'
export { cliEnvironment, usualPatience } from '../packages/engine/dist/backends/claude/environment.js'
export { claudeFolders, prepareFolders } from '../packages/engine/dist/backends/claude/folders.js'
export { createMessageQueue } from '../packages/engine/dist/backends/claude/message-queue.js'
export { sdkOptions } from '../packages/engine/dist/backends/claude/options.js'
export { createAgentSession } from '../packages/engine/dist/backends/create-agent-session.js'
export { invokeOnce } from '../packages/engine/dist/backends/invoke-once.js'
export { createLoopBackend } from '../packages/engine/dist/backends/loop/create-loop-backend.js'
export { emptyTurn, endTurn } from '../packages/engine/dist/backends/turn-record.js'
export { makeScratchFolder } from '../packages/engine/dist/isolation/scratch-folder.js'
export { openCallKey } from '../packages/engine/dist/open-call-key.js'
export { randomIds } from '../packages/engine/dist/random-ids.js'
export { createSqlStore } from '../packages/engine/dist/store/sql/create-sql-store.js'
export { availableTools } from '../packages/engine/dist/tools/available-tools.js'
