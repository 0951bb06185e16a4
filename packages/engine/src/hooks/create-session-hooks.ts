// The hook points as the backend of one session sees them. The SDK's callbacks for the start and the end of a session
// do not fire (measured): the engine raises both itself, and adds the output of a start to the first prompt.
import { type JsonObject, neverAborted, type SessionId } from '@quarterdeck/protocol'
import type { HookPoints } from '../backends/backend.ts'
import type { SessionHookEvent } from '../backends/hooks/engine-hook-events.ts'
import type { HookSource } from './create-hook-points.ts'
import { mergeOutputs, specificOf } from './merge-outputs.ts'

export interface SessionHooks extends HookPoints {
  /** A process starts to work for the session. The answer is no longer needed when the signal aborts. */
  started(how: SessionStart, signal?: AbortSignal): Promise<void>
  /** The process has ended. */
  ended(how: { readonly cwd: string }): Promise<void>
}

interface SessionStart {
  readonly source: 'startup' | 'resume'
  readonly cwd: string
  readonly model: string
}

export function createSessionHooks(hooks: HookSource, sessionId: SessionId): SessionHooks {
  let context = ''

  const raise = (event: SessionHookEvent, facts: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    hooks.run(event, { hook_event_name: event, session_id: sessionId, ...facts }, { sessionId, signal })

  /** The output of the start is put before the first prompt, once. */
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
      // A backend may use its own session id; handlers get ours.
      const output = await hooks.run(event, { ...input, session_id: sessionId }, { sessionId, signal })
      return event === 'UserPromptSubmit' ? withContext(output) : output
    },
    async started({ source, cwd, model }, signal = neverAborted()) {
      if (!hooks.hasListener('SessionStart')) return
      const { additionalContext } = specificOf(await raise('SessionStart', { source, cwd, model }, signal))
      context = typeof additionalContext === 'string' ? additionalContext : ''
    },
    async ended({ cwd }) {
      if (hooks.hasListener('SessionEnd')) await raise('SessionEnd', { reason: 'other', cwd }, neverAborted())
    },
  }
}
