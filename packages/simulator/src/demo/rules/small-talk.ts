import type { SimulatedConversation } from '../../replies/read-conversation.ts'
import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

interface Talk {
  readonly when: RegExp
  readonly answer: (conversation: SimulatedConversation) => string
}

const talks: readonly Talk[] = [
  {
    when: /\b(?:who|what) (?:are you|you are)\b|\bare you (?:claude|a (?:real )?(?:model|human|person|robot|bot)|real|an ai)\b|\bwhich model\b/i,
    answer: ({ request, prompt }) =>
      `${/\bsay (?:hi|hello)\b/i.test(prompt) ? 'Hello! ' : ''}I am the local simulator, not a model. I stand in for ${request.model} so that this agent can be tried without a key; nothing leaves this machine. Everything around me (the CLI, the tools, the approvals, the log) is real.`,
  },
  {
    when: /\bwhat(?:'s| is) (?:the )?(?:date|day)\b|\bwhat day is\b|\btoday's date\b/i,
    answer: ({ reminders }) => {
      const date = /date is (?:now )?(\d{4}-\d{2}-\d{2})/.exec(reminders)?.[1]
      return date ? `Today is ${date}; the host told me so.` : 'Nobody told me the date, and I have no clock of my own.'
    },
  },
  {
    when: /\bhow are you\b/i,
    answer: () => 'Running fine, thank you: I am the local simulator, so I have good days only. What shall we do?',
  },
  {
    when: /\bjoke\b/i,
    answer: () =>
      'I know one, from the rule book: a simulator walks into a bar and orders exactly what the script says.',
  },
  {
    when: /^\s*(?:thanks?|thank you|thx|great|nice|cool|perfect|well done)\b/i,
    answer: () => 'You are welcome. Anything else?',
  },
  {
    when: /^\s*(?:bye|goodbye|good night|see you)\b/i,
    answer: () => 'Goodbye. The session stays here; come back any time.',
  },
  {
    when: /^\s*(?:(?:please )?say )?(?:hi|hello|hey|hallo|hola|moin|good (?:morning|afternoon|evening))\b/i,
    answer: ({ offered }) =>
      `Hello! I am the local simulator, not a model: I follow a few rules so that you can try this agent without a key. ${
        offered.size > 0 ? `It offers me ${offered.size === 1 ? '1 tool' : `${offered.size} tools`}; a` : 'A'
      }sk "what can you do" to see what works.`,
  },
]

export const smallTalk: DemoRule = {
  name: 'small-talk',
  reply(conversation) {
    const talk = talks.find(({ when }) => when.test(conversation.prompt))
    return talk ? textReply(talk.answer(conversation)) : null
  },
}
