// Decides whether an answer without calls ends the turn or needs a reply.

import { brokenFormat, outputText } from '../../driver/structured-output.ts'
import { objectionOf } from '../../hooks/hook-output.ts'
import { reminder, textOf } from '../conversation/entry.ts'
import type { ModelAnswer } from '../request/model-requester.ts'
import { TurnStop, unlessStopped } from '../turn-stop.ts'
import type { LoopSession } from './loop-session.ts'
import type { LoopTurn } from './loop-turn.ts'
import { readJson } from './read-json.ts'

/** How often a model may retry after an answer that does not match the schema. */
const mostViolations = 2

/** Returning `over` closes the turn at the same time: a message that arrives later would be lost. */
export async function finishAnswer(
  session: LoopSession,
  turn: LoopTurn,
  answer: ModelAnswer,
): Promise<'over' | 'continues'> {
  if (answer.stopReason === 'pause') return 'continues'
  refuseUnfinished(session, answer)
  const objection = checkStructured(session, turn, answer) ?? (await askStopHook(session, turn, answer))
  if (objection !== null) {
    await session.conversation.add({ type: 'note', text: objection })
    return 'continues'
  }
  return turn.closeIfAnswered() ? 'over' : 'continues'
}

/** A hook has ended the turn with its calls. Messages added in the meantime are still answered. */
export function closeUnanswered({ checkOutput }: LoopSession, turn: LoopTurn): 'over' | 'continues' {
  if (!turn.closeIfAnswered()) return 'continues'
  if (checkOutput !== null) throw new TurnStop('failed', brokenFormat('the agent ended without giving one'))
  turn.respond('')
  return 'over'
}

function refuseUnfinished({ agent }: LoopSession, { stopReason, refusal }: ModelAnswer): void {
  switch (stopReason) {
    case 'max_tokens': {
      const bound = agent.model.maxTokens === null ? '' : ` (${agent.model.maxTokens})`
      throw new TurnStop('failed', `the answer was cut off at max_tokens${bound}: raise model.max_tokens`)
    }
    case 'context_window':
      throw new TurnStop('failed', 'the answer was cut off: the model’s context window is full')
    case 'refusal':
      throw new TurnStop('failed', `the model refused to answer${refusal === undefined ? '' : `: ${refusal}`}`)
  }
}

/** The reply to an answer that does not match the schema; `null` if it matches. */
function checkStructured({ checkOutput }: LoopSession, turn: LoopTurn, { parts }: ModelAnswer): string | null {
  if (checkOutput === null) return null
  const value = readJson(textOf(parts))
  const how = value === undefined ? 'it is not JSON' : checkOutput(value)
  if (how === null) {
    turn.respond(outputText(value), value)
    return null
  }
  if (turn.countViolation() > mostViolations) throw new TurnStop('failed', brokenFormat(how))
  return `Your answer does not keep the JSON Schema: ${how}. Answer again, with the JSON value alone.`
}

/** The text of a Stop hook that keeps the turn going; `null` if there is none. */
async function askStopHook({ hookCalls }: LoopSession, turn: LoopTurn, { parts }: ModelAnswer): Promise<string | null> {
  const facts = { stop_hook_active: turn.isStopHookActive(), last_assistant_message: textOf(parts) }
  const hookAnswer = await unlessStopped(() => hookCalls.raise('Stop', facts, turn.signal), turn.signal)
  if (hookAnswer.continue === false) return null
  const { additionalContext = '' } = hookAnswer.hookSpecificOutput
  const added = additionalContext === '' ? null : reminder(additionalContext)
  const words = [objectionOf(hookAnswer), added].filter((text) => text !== null)
  if (words.length === 0) return null
  turn.noteStopHook()
  return words.join('\n\n')
}
