import type { Conversation } from '../conversation.ts'

/** The types of subagents the host offers, as its reminders list them. */
export function listedAgentTypes({ reminders }: Conversation): readonly string[] {
  return [...reminders.matchAll(/^- ([\w-]+):/gm)].flatMap((match) => match[1] ?? [])
}
