import { isWakeMessage } from '@quarterdeck/protocol'
import type { SimulatedConversation } from '../../replies/read-conversation.ts'
import { exploreProject, isExplorerTask } from '../coder/explorer.ts'
import { nextCoderStep } from '../coder/next-coder-step.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

export const explorer: DemoRule = {
  name: 'explorer',
  reply: (conversation) => (isExplorerTask(conversation) ? exploreProject(conversation) : null),
}

export const coder: DemoRule = {
  name: 'coder',
  reply(conversation) {
    if (!['Bash', 'Read', 'Edit'].every((name) => conversation.offered.has(name))) return null
    const start = taskStart(conversation)
    return start === null ? null : nextCoderStep(conversation, start)
  },
}

const fixThenTest = [/\b(?:fix|repair|mend|find|solve)\b/i, /\b(?:tests?|suite|bug)\b/i] as const
const testThenFix = [/\btests?\b/i, /\b(?:fix|green|pass)\b/i] as const
const goesOn =
  /^\s*(?:(?:ok|okay|yes|sure|please|then)[,. ]*)*(?:continue|go on|go ahead|carry on|proceed|resume|try again|retry|keep going)\b/i

// The task is the latest prompt that asked for it; later prompts belong to it only if they say to continue.
function taskStart(conversation: SimulatedConversation): number | null {
  const { entries, prompt } = conversation
  const asked = entries.findLastIndex((entry) => entry.type === 'prompt' && asksForFix(entry.text))
  if (asked === -1) return null
  const belongs = asksForFix(prompt) || goesOn.test(prompt) || isWakeMessage(prompt)
  return belongs ? asked : null
}

const asksForFix = (text: string): boolean =>
  (follows(text, fixThenTest) || follows(text, testThenFix)) && !isWakeMessage(text)

/** Two searches: one pattern for both would need quadratic time in the length of a message. */
function follows(text: string, [first, second]: readonly [RegExp, RegExp]): boolean {
  const at = text.search(first)
  return at !== -1 && second.test(text.slice(at))
}
