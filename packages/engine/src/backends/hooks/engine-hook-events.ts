// The hook events that the engine raises itself, not the Claude CLI. `hooks/hook-event.ts` lists all.

/** Raised by the engine itself, around every session of every backend. */
export const sessionHookEvents = ['SessionStart', 'SessionEnd'] as const
export type SessionHookEvent = (typeof sessionHookEvents)[number]

/**
 * Raised by the in-process loop. Other events concern features it does not have: subagents, worktrees, settings files.
 */
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
