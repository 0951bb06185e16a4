// The final answer of a model, which the server executes as a tool: accepted, or returned with its problems.
import type { SessionService } from '@quarterdeck/engine'
import {
  FinalAnswer,
  finalAnswerTool,
  type JsonObject,
  type OpenClientCall,
  type ReturnClientCallBody,
  type SessionId,
} from '@quarterdeck/protocol'

type FinalAnswerCall = Pick<OpenClientCall, 'callId' | 'toolInput'>

/** The principal of actions of the server itself. */
const byServer = 'analysis'

export async function concludeAnalysis(
  sessions: SessionService,
  sessionId: SessionId,
  { callId, toolInput }: FinalAnswerCall,
): Promise<void> {
  const { calls } = await sessions.listClientCalls(sessionId)
  const others = calls.filter(({ toolName }) => toolName !== finalAnswerTool)
  const body = others.length > 0 ? stillOpen(others.map(({ toolName }) => toolName)) : verdictOn(toolInput)
  await sessions.returnClientCall(callId, body, byServer)
}

function verdictOn(input: JsonObject): ReturnClientCallBody {
  const answer = FinalAnswer.safeParse(input)
  if (answer.success) return { output: 'The answer is with the person.' }
  const issues = answer.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { output: `${finalAnswerTool} was not taken: ${issues.join('; ')}. Call it again.`, isError: true }
}

const stillOpen = (names: readonly string[]): ReturnClientCallBody => ({
  output: `${finalAnswerTool} was not taken: ${names.join(', ')} still runs. Wait for the results, then call it alone.`,
  isError: true,
})
