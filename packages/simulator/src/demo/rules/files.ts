// Simple requests about files and commands, with the offered tool that fits.
import { type SimulatedConversation, workingDirectoryOf } from '../../replies/read-conversation.ts'
import { callTools, type Reply, textReply } from '../../replies/reply.ts'
import { absolutePath } from '../coder/coder-facts.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

// Matches only from the beginning of a name. This keeps the time linear for long words.
const filePattern = '(?<![\\w./~-])[`"\']?([\\w./~-]*\\w\\.\\w+)[`"\']?'

export const files: DemoRule = {
  name: 'files',
  reply(conversation) {
    const reply = answerRequest(conversation)
    // If the agent has its own tools, one of them may handle the request.
    const hasOthers = [...conversation.offered.keys()].some((name) => name.startsWith('mcp__'))
    return reply?.tools === undefined && hasOthers ? null : reply
  },
}

function answerRequest(conversation: SimulatedConversation): Reply | null {
  const { prompt } = conversation
  const command = /^\s*(?:please\s+)?(?:run|execute)\s+(?:the\s+command\s+)?[`"'](.+?)[`"']\s*\.?\s*$/is.exec(
    prompt,
  )?.[1]
  if (command) return run(conversation, command)
  if (/\brun\b.*\btests?\b|\btests?\b.*\brun\b/i.test(prompt)) return run(conversation, 'node --test')
  const note = new RegExp(
    `\\b(?:write|save|put|create)\\b\\s*["'“](.+?)["'”]\\s*(?:to|in|into)\\s+${filePattern}`,
    'is',
  ).exec(prompt)
  if (note?.[1] && note[2]) return write(conversation, note[2], note[1])
  const asked = prompt.search(/\b(?:read|show|open|print|cat)\b/i)
  const wanted = asked === -1 ? undefined : new RegExp(filePattern, 'i').exec(prompt.slice(asked))?.[1]
  if (wanted) return read(conversation, wanted)
  const needle = /\b(?:search|grep|look)\s+(?:the\s+\w+\s+)?for\s+[`"'“]?(.+?)[`"'”]?\s*(?:\bin\b.*)?[.?]?$/is.exec(
    prompt,
  )?.[1]
  if (needle) return search(conversation, needle)
  if (/\b(?:list|show|which|what)\b.*\b(?:files?|folder|directory)\b/i.test(prompt)) return list(conversation)
  return null
}

function run({ offered }: SimulatedConversation, command: string): Reply {
  if (!offered.has('Bash')) return without('Bash', `run \`${command}\``)
  return callTools(`I run \`${command}\`.`, { name: 'Bash', input: { command, description: 'Run what was asked' } })
}

function write(conversation: SimulatedConversation, path: string, content: string): Reply {
  if (!conversation.offered.has('Write')) return without('Write', `write \`${path}\``)
  const file_path = absolutePath(workingDirectoryOf(conversation), path)
  return callTools(`I write that to \`${path}\`.`, { name: 'Write', input: { file_path, content: `${content}\n` } })
}

function read(conversation: SimulatedConversation, path: string): Reply {
  if (!conversation.offered.has('Read')) return without('Read', `read \`${path}\``)
  const file_path = absolutePath(workingDirectoryOf(conversation), path)
  return callTools(`I read \`${path}\`.`, { name: 'Read', input: { file_path } })
}

function search({ offered }: SimulatedConversation, needle: string): Reply {
  const pattern = needle.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (offered.has('Grep')) {
    return callTools(`I search for "${needle}".`, { name: 'Grep', input: { pattern, output_mode: 'content' } })
  }
  return without('Grep', `search for "${needle}"`)
}

function list({ offered }: SimulatedConversation): Reply {
  if (offered.has('Glob'))
    return callTools('I look which files are here.', { name: 'Glob', input: { pattern: '**/*' } })
  if (offered.has('Bash')) {
    return callTools('I look which files are here.', {
      name: 'Bash',
      input: { command: 'ls', description: 'List files' },
    })
  }
  return without('Glob or Bash', 'list files')
}

const without = (tool: string, action: string): Reply =>
  textReply(
    `I cannot ${action}: this agent does not offer me the ${tool} tool. Its agent file decides which tools exist.`,
  )
