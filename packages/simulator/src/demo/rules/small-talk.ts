import { ellipsize } from '@quarterdeck/protocol'
import type { PromptImage, SimulatedConversation, SimulatedEntry } from '../../replies/read-conversation.ts'
import { callTools, textReply } from '../../replies/reply.ts'
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

const namePattern = /\b(?:my name is|call me|i am called)\s+([\p{L}'-]+)/iu

/** Follow-ups that need only the history of the session. */
export const memory: DemoRule = {
  name: 'memory',
  reply({ prompt, entries, promptIndex }) {
    const earlier = entries.slice(0, promptIndex)
    const statedName = namePattern.exec(prompt)?.[1]
    if (statedName)
      return textReply(`Nice to meet you, ${statedName}. Ask me later what your name is: it stays in this session.`)
    if (/\bwhat(?:'s| is) my name\b|\bwho am i\b/i.test(prompt)) return textReply(recallName(earlier))
    if (/\bwhat did i (?:say|ask|tell)\b|\bmy (?:first|last|previous) (?:question|message)\b/i.test(prompt)) {
      const asked = earlier.flatMap((entry) => (entry.type === 'prompt' ? [`- ${entry.text}`] : []))
      return textReply(
        asked.length > 0
          ? `In this session you said:\n${asked.join('\n')}`
          : 'This is your first message in this session.',
      )
    }
    if (
      /^\s*(?:please\s+)?(?:again|repeat(?: that| it)?|once more|say that again|do (?:it|that) again)\s*[.!?]*$/i.test(
        prompt,
      )
    ) {
      return repeatLast(earlier)
    }
    return null
  },
}

function recallName(earlier: readonly SimulatedEntry[]): string {
  const names = earlier.flatMap((entry) => (entry.type === 'prompt' ? (namePattern.exec(entry.text)?.[1] ?? []) : []))
  const name = names.at(-1)
  return name
    ? `Your name is ${name}: you told me earlier in this session.`
    : 'You have not told me your name in this session.'
}

function repeatLast(earlier: readonly SimulatedEntry[]) {
  const last = earlier.findLast((entry) => entry.type === 'call' || entry.type === 'said')
  const call = earlier.findLast((entry) => entry.type === 'call')
  const mentionIndex = earlier.findLastIndex((entry) => entry.type === 'prompt')
  if (call && earlier.indexOf(call) > mentionIndex)
    return callTools('Once more.', { name: call.name, input: call.input })
  return textReply(last?.type === 'said' ? last.text : 'There is nothing to repeat yet.')
}

const toolPurposes: Readonly<Record<string, string>> = {
  Bash: 'run commands ("run `ls -la`", "run the tests")',
  Read: 'read a file ("read package.json")',
  Write: 'write a file ("write "hello" to note.txt")',
  Glob: 'list files ("list the files")',
  Grep: 'search in files ("search for TODO")',
  AskUserQuestion: 'ask you something ("ask me which colour: red, green or blue")',
  Agent: 'start a subagent ("ask a subagent to list the files")',
}

/** Lists its abilities from the tools that are offered. */
export const capabilities: DemoRule = {
  name: 'capabilities',
  reply({ prompt, offered }) {
    if (
      !/\bwhat (?:can|could) you\b|\bwhat are you able\b|\byour (?:tools|abilities)\b|\bwhich tools\b|^\s*help\s*[.!?]*$/i.test(
        prompt,
      )
    )
      return null
    const known = Object.entries(toolPurposes).flatMap(([name, what]) => (offered.has(name) ? [`- ${what}`] : []))
    const fixes = ['Bash', 'Read', 'Edit'].every((name) => offered.has(name))
    if (fixes) known.push('- find and fix a failing test ("find and fix the failing test")')
    const others = [...offered.keys()].filter((name) => !(name in toolPurposes) && name !== 'Edit')
    if (others.length > 0) known.push(`- call ${others.slice(0, 12).join(', ')} ("use ${others[0]}")`)
    const talk = "I can chat a little: small sums, remembering what you told me, today's date."
    const intro = 'I am the local simulator, not a model: a few rules that make this agent come alive without a key.'
    if (known.length === 0) return textReply(`${intro}\n\nThis agent offers me no tools. ${talk}`)
    return textReply(`${intro}\n\nWith the tools this agent offers me I can:\n${known.join('\n')}\n\n${talk}`)
  },
}

/** Confirms that an image arrived, although the simulator cannot see it. */
export const images: DemoRule = {
  name: 'images',
  reply({ images: sent }) {
    if (sent.length === 0) return null
    const count = sent.length === 1 ? 'an image' : `${sent.length} images`
    return textReply(
      `You sent ${count} (${sent.map(spell).join('; ')}). I am the local simulator: I cannot see what it shows.`,
    )
  },
}

const spell = ({ mediaType, bytes }: PromptImage): string =>
  bytes === null ? mediaType : `${mediaType}, ${bytes} bytes`

const shortenPattern = /^[^:\n]*\b(?:summari[sz]e|summary|shorten|tl;?dr|in one sentence)\b[^:\n]*[:\n]\s*(\S[\s\S]*)$/i

/** "summarise in one sentence: …" returns the first sentence, to try a prompt tool. */
export const shorten: DemoRule = {
  name: 'shorten',
  reply({ prompt }) {
    const text = shortenPattern.exec(prompt)?.[1]?.trim()
    return text ? textReply(/^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text) : null
  },
}

/** The last rule refuses, so the simulator never invents an answer. */
export const unknown: DemoRule = {
  name: 'unknown',
  reply({ prompt }) {
    return textReply(
      `I cannot answer "${ellipsize(prompt, 120)}". I am the local simulator, not a model: I know a few rules and invent nothing. ` +
        'Ask "what can you do" to see what works here; with a provider key a real model answers this agent as it is.',
    )
  },
}
