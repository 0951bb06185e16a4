// The engine's hooks in the form of the CLI: one callback per event that has a listener.
import {
  HOOK_EVENTS,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
  type Options,
} from '@anthropic-ai/claude-agent-sdk'
import type { HookPoints } from '../../backend.ts'
import { sessionHookEvents } from '../../hooks/engine-hook-events.ts'

/** Seconds. Longer than the engine's own time limit for handlers. */
const callbackTimeout = 600

/**
 * PreToolUse is handled by the permission hook. The others do not fire as callbacks (measured), so the engine raises
 * them.
 */
const notRegistered: ReadonlySet<HookEvent> = new Set(['PreToolUse', ...sessionHookEvents])

export function sdkHooks(points: HookPoints, gate: HookCallbackMatcher): NonNullable<Options['hooks']> {
  const subscribed = HOOK_EVENTS.filter((event) => !notRegistered.has(event) && points.hasListener(event))
  const entries = subscribed.map((event) => [event, [{ hooks: [callbackOf(points, event)], timeout: callbackTimeout }]])
  return { ...Object.fromEntries(entries), PreToolUse: [gate] }
}

const callbackOf =
  (points: HookPoints, event: HookEvent): HookCallback =>
  (input, _toolUseId, { signal }) =>
    points.run(event, { ...input }, signal)
