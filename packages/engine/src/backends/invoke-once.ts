import type { ExecutionResult } from '@quarterdeck/protocol'
import type { AgentSession, EarlierMessage } from './backend.ts'
import { emptyResult } from './empty-result.ts'

/** One message in a session of its own. Never throws: whatever goes wrong is a result that says so. */
export async function invokeOnce(
  open: () => Promise<AgentSession>,
  message: string,
  context: readonly EarlierMessage[] = [],
): Promise<ExecutionResult> {
  try {
    const session = await open()
    try {
      let result = emptyResult
      for await (const event of session.run(withContext(message, context), new AbortController().signal)) {
        if (event.type === 'TurnEnded') result = event.data.result
      }
      return result
    } finally {
      await session.close()
    }
  } catch (error) {
    return { ...emptyResult, isError: true, errorReason: error instanceof Error ? error.message : String(error) }
  }
}

/** Earlier messages are shown to the model, never executed. */
function withContext(message: string, context: readonly EarlierMessage[]): string {
  if (context.length === 0) return message
  const earlier = context.map(({ role, content }) => `<${role}>\n${content}\n</${role}>`)
  return ['<earlier_messages>', ...earlier, '</earlier_messages>', '', message].join('\n')
}
