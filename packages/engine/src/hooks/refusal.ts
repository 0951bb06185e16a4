import type { JsonObject } from '@quarterdeck/protocol'

/** How a hook says no, in the SDK's words for this event. What cannot be stopped any more is told the agent. */
export function refusal(event: string, message: string): JsonObject {
  const hookSpecificOutput = { hookEventName: event }
  switch (event) {
    case 'PreToolUse': {
      const permissionDecision = { permissionDecision: 'deny', permissionDecisionReason: message }
      return { hookSpecificOutput: { ...hookSpecificOutput, ...permissionDecision } }
    }
    case 'PermissionRequest':
      return { hookSpecificOutput: { ...hookSpecificOutput, decision: { behavior: 'deny', message } } }
    default:
      return { decision: 'block', reason: message }
  }
}
