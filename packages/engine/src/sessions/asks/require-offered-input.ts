// Checks an edited input against the schema of the tool, for tools that the engine and clients run. A hibernated
// session offers no tools, but the schemas in the agent file are known without a process.
import { type AgentDefinition, type JsonObject, QuarterdeckError } from '@quarterdeck/protocol'
import { createJsonSchemaCheck } from '../../json/json-schema-check.ts'
import { declaredClientTools, ownNameOf } from '../../tool-names/client-tool-names.ts'
import { toolOf } from '../../tool-names/host-tool-names.ts'
import type { RunningSession } from '../state/running-session.ts'

interface EditedCall {
  readonly toolName: string
  readonly toolInput: JsonObject
}

/** Throws `request.invalid` with the problem. The approval stays open. */
export function requireOfferedInput(running: RunningSession, agent: AgentDefinition, call: EditedCall): void {
  const schema = inputSchemaOf(running, agent, call.toolName)
  if (schema === null) return
  const problem = problemOf(schema, call.toolInput)
  if (problem !== null) throw new QuarterdeckError('request.invalid', `input: ${problem}`)
}

function inputSchemaOf(running: RunningSession, agent: AgentDefinition, toolName: string): JsonObject | null {
  const own = ownNameOf(toolName)
  if (own !== null) {
    const attached = running.writer.state().clients.flatMap(({ tools }) => tools)
    return [...declaredClientTools(agent.tools), ...attached].find(({ name }) => name === own)?.inputSchema ?? null
  }
  const offered = running.process
    .backend()
    ?.hostTools()
    .find(({ name }) => name === toolName)
  if (offered !== undefined) return offered.inputSchema
  const declared = toolOf(agent.tools, toolName)
  return declared !== null && 'parameters' in declared ? declared.parameters : null
}

/** A schema that is unusable or too slow passes: the tool itself checks its input. */
function problemOf(schema: JsonObject, input: JsonObject): string | null {
  try {
    return createJsonSchemaCheck(schema)(input)
  } catch {
    return null
  }
}
