// Combines the outputs of several handlers of one event. The strictest decision wins; additions are concatenated.
import { asJsonObject, type JsonObject } from '@quarterdeck/protocol'

const strictest: readonly unknown[] = ['deny', 'ask', 'allow']

export function mergeOutputs(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one, ...other }
  if (one.continue === false) Object.assign(merged, { continue: false, stopReason: one.stopReason ?? other.stopReason })
  if (one.decision === 'block') Object.assign(merged, { decision: 'block', reason: one.reason })
  const specific = mergeSpecific(specificOf(one), specificOf(other))
  return Object.keys(specific).length === 0 ? merged : { ...merged, hookSpecificOutput: specific }
}

/** The input of the next handler: the call that would run, or the result that the model would see. */
export function inputAfter(input: JsonObject, handlerOutput: JsonObject): JsonObject {
  const { updatedInput, updatedToolOutput } = specificOf(handlerOutput)
  return {
    ...input,
    ...(updatedInput !== undefined && { tool_input: updatedInput }),
    ...(updatedToolOutput !== undefined && 'tool_response' in input && { tool_response: updatedToolOutput }),
  }
}

/** The part of an output that is specific to its event. */
export const specificOf = ({ hookSpecificOutput: part }: JsonObject): JsonObject => asJsonObject(part)

function mergeSpecific(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one, ...other }
  const contexts = [one.additionalContext, other.additionalContext].filter((text) => typeof text === 'string')
  if (contexts.length > 0) merged.additionalContext = contexts.join('\n')
  const winner = [one, other].find(({ permissionDecision }) => permissionDecision === strictestOf(one, other))
  if (winner?.permissionDecision !== undefined) {
    merged.permissionDecision = winner.permissionDecision
    merged.permissionDecisionReason = winner.permissionDecisionReason
  }
  return merged
}

const strictestOf = (...parts: readonly JsonObject[]): unknown =>
  strictest.find((decision) => parts.some(({ permissionDecision }) => permissionDecision === decision))
