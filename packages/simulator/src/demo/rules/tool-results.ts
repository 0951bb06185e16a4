// Reports the results of the tools that were called for the latest prompt.
import { parseJson } from '@quarterdeck/protocol'
import { answeredCalls, type ToolCallEntry } from '../../replies/read-conversation.ts'
import { textReply } from '../../replies/reply.ts'
import { withoutLineNumbers } from '../coder/coder-facts.ts'
import { readTestRun } from '../coder/test-run.ts'
import { blockedCall } from '../facts/blocked-call.ts'
import type { DemoRule } from '../facts/demo-rule.ts'
import { describeListed } from '../facts/listed-objects.ts'

const shownLines = 40

export const toolResults: DemoRule = {
  name: 'tool-results',
  reply(conversation) {
    const calls = answeredCalls(conversation)
    return calls.length === 0
      ? null
      : textReply(calls.map((call) => describeCall(call, conversation.prompt)).join('\n\n'))
  },
}

function describeCall(call: ToolCallEntry, prompt: string): string {
  const text = call.result?.text ?? ''
  const run = call.name === 'Bash' ? readTestRun(text) : null
  if (run) {
    const failing = run.failing.map((test) => `"${test.name}"`).join(', ')
    return run.failed === 0
      ? `All tests pass: ${run.passed} of ${run.total}.`
      : `${run.failed} of ${run.total} tests fail: ${failing}. Ask me to fix the failing test and I try.`
  }
  const blocked = blockedCall(call)
  if (blocked?.why === 'denied')
    return `The ${call.name} call was not allowed: ${ended(blocked.message)} I leave it at that.`
  if (blocked)
    return `The ${call.name} call ${blocked.why === 'failed' ? 'failed' : 'was interrupted'}: ${blocked.message}`
  return describeResult(call, text, prompt)
}

/** Exactly one full stop. */
const ended = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

function describeResult(call: ToolCallEntry, text: string, prompt: string): string {
  switch (call.name) {
    case 'Bash':
      return text
        ? `\`${String(call.input.command)}\` printed:\n\n${fenced(text)}`
        : `\`${String(call.input.command)}\` ran and printed nothing.`
    case 'Read': {
      const body = withoutLineNumbers(text)
      return `\`${String(call.input.file_path)}\` has ${body.split('\n').length} lines:\n\n${fenced(body)}`
    }
    case 'Glob':
      return `Files that match \`${String(call.input.pattern)}\`:\n\n${fenced(text)}`
    case 'Grep':
      return `What matches \`${String(call.input.pattern)}\`:\n\n${fenced(text)}`
    case 'Write':
    case 'Edit':
      return `Done: \`${String(call.input.file_path)}\` is written.`
    case 'Agent':
    case 'Task':
      return `The subagent reports:\n\n${reportOf(text)}`
    case 'AskUserQuestion':
      return describeChoice(text) ?? describeOther(call.name, text)
    default:
      return quoted(text) ?? describeListed(call, prompt) ?? describeOther(call.name, text)
  }
}

/** The CLI and the loop report each answer as `"question"="answer"`. */
function describeChoice(text: string): string | null {
  const answers = [...text.matchAll(/" ?= ?"([^"]*)"/g)].flatMap(([, answer]) => answer || [])
  return answers.length === 0 ? null : `You chose ${answers.join(' and ')}.`
}

const oneLine = /^.{1,300}$/

/** People know a tool of the agent file by its own name. */
function describeOther(toolName: string, text: string): string {
  const name = toolName.startsWith('mcp__') ? (toolName.split('__').at(-1) ?? toolName) : toolName
  if (!text) return `${name} is done and returned nothing.`
  return oneLine.test(text) ? `${name} returned: ${text}` : `${name} returned:\n\n${fenced(formatJson(text))}`
}

/** Formats JSON that was written in one line. */
function formatJson(text: string): string {
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

const quotedLetters = 700

/** The first passage of a search, with its source: `[1] file › heading (line 3), score 0.83`. */
function quoted(text: string): string | null {
  const [, source, passage] = /^\[1\] (.+?)(?:, score [\d.]+)?\n([\s\S]+?)(?=\n\n\[2\] |$)/.exec(text) ?? []
  if (!source || !passage) return null
  const shown = passage.trim().slice(0, quotedLetters)
  const lines = shown.split('\n').map((line) => `> ${line}`)
  return `${source} says:\n\n${lines.join('\n')}${passage.trim().length > quotedLetters ? '…' : ''}`
}

function fenced(text: string): string {
  const lines = text.split('\n')
  const rest = lines.length - shownLines
  const shown = lines.slice(0, shownLines).join('\n')
  return `\`\`\`\n${shown}\n\`\`\`${rest > 0 ? `\n(${rest} more lines)` : ''}`
}

// The CLI wraps a subagent's report; only the report itself is repeated.
function reportOf(text: string): string {
  const report = /The report follows:\n([\s\S]*?)(?:\nagentId: |$)/.exec(text)?.[1] ?? text
  return report.replaceAll(/^ {2}/gm, '').trim()
}
