import type { JsonObject } from '@quarterdeck/protocol'

/** A refusal in the SDK's format for this event. If it is too late to refuse, the agent gets the message. */
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
