// Who raises which of the hook points, where it is not the Claude CLI.

/** The engine itself, around every session of every backend. */
export const sessionHookEvents = ['SessionStart', 'SessionEnd'] as const
export type SessionHookEvent = (typeof sessionHookEvents)[number]

/** The in-process loop. The other moments belong to what it has not: subagents, worktrees, settings files. */
export const loopHookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'PreCompact',
  'PostCompact',
] as const
export type LoopHookEvent = (typeof loopHookEvents)[number]
