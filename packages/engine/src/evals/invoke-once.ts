import type { Answer, Question } from './answer.ts'
import { openConversation, type Talk } from './conversation.ts'
import type { SessionDoors } from './session-doors.ts'

/**
 * One message in a session of its own, which is closed before this resolves: budgets, approvals and the log hold as for
 * any other. Resolves for every outcome; rejects as `Conversation.say` does.
 */
export async function invokeOnce(
  sessions: SessionDoors,
  talk: Omit<Talk, 'mode'>,
  question: Question,
): Promise<Answer> {
  const conversation = openConversation(sessions, { ...talk, mode: 'task' })
  try {
    return await conversation.say(question)
  } finally {
    await conversation.close()
  }
}
