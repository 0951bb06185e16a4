import { textReply } from '../../replies/reply.ts'
import type { DemoRule } from '../facts/demo-rule.ts'

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
