import type { SimulatedConversation } from '../../replies/read-conversation.ts'

/** The types of subagents the host offers, as its reminders list them. */
export function listedAgentTypes({ reminders }: SimulatedConversation): readonly string[] {
  return [...reminders.matchAll(/^- ([\w-]+):/gm)].flatMap((match) => match[1] ?? [])
}
