// The hook points as one session's backend sees them. The SDK's callbacks for the start and the end of a session do not
// fire (measured): the engine raises both itself, and hands what a start adds to the first prompt.
import type { JsonObject, SessionId } from '@quarterdeck/protocol'
import type { HookPoints } from '../backends/backend.ts'
import type { SessionHookEvent } from '../backends/hooks/hook-events.ts'
import type { HookSource } from './create-hook-points.ts'
import { mergeOutputs, specificOf } from './merge-outputs.ts'

export interface SessionHooks extends HookPoints {
  /** A process begins to work for the session; for nobody any more when the signal aborts. */
  started(how: SessionStart, signal?: AbortSignal): Promise<void>
  /** The process is gone. */
  ended(how: { readonly cwd: string }): Promise<void>
}

interface SessionStart {
  readonly source: 'startup' | 'resume'
  readonly cwd: string
  readonly model: string
}

export function createSessionHooks(hooks: HookSource, sessionId: SessionId): SessionHooks {
  let context = ''
  const never = new AbortController().signal

  const raise = (event: SessionHookEvent, facts: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    hooks.run(event, { hook_event_name: event, session_id: sessionId, ...facts }, { sessionId, signal })

  /** What the start had to say stands before the first prompt, once. */
  function withContext(output: JsonObject): JsonObject {
    if (context === '') return output
    const added = { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: context } }
    context = ''
    return mergeOutputs(added, output)
  }

  return {
    hasListener: (event) =>
      hooks.hasListener(event) || (event === 'UserPromptSubmit' && hooks.hasListener('SessionStart')),
    async run(event, input, signal) {
      // A backend may have an id of its own; whoever listens knows the session by ours.
      const output = await hooks.run(event, { ...input, session_id: sessionId }, { sessionId, signal })
      return event === 'UserPromptSubmit' ? withContext(output) : output
    },
    async started({ source, cwd, model }, signal = never) {
      if (!hooks.hasListener('SessionStart')) return
      const { additionalContext } = specificOf(await raise('SessionStart', { source, cwd, model }, signal))
      context = typeof additionalContext === 'string' ? additionalContext : ''
    },
    async ended({ cwd }) {
      if (hooks.hasListener('SessionEnd')) await raise('SessionEnd', { reason: 'other', cwd }, never)
    },
  }
}
