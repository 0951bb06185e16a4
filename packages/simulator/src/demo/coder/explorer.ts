// The subagent of the coding task: it reads and reports, and changes nothing.
import { callsOfTurn, type SimulatedConversation, workingDirectoryOf } from '../../replies/read-conversation.ts'
import { callTools, type Reply, type ReplyToolCall, textReply } from '../../replies/reply.ts'
import { blockedCall } from '../facts/blocked-call.ts'
import {
  absolutePath,
  importedSource,
  isTestFile,
  type ReadFile,
  relativePath,
  withoutLineNumbers,
} from './coder-facts.ts'
import { findKnownBug } from './known-bug.ts'

export const explorerPrompt = 'Find which test fails and where the code under test lives. Report paths, change nothing.'
export const sourceLabel = 'Code under test:'

const recognised = /find which test fails and where the code under test lives/i
const codePath = /[\w./-]+\.[cm]?[jt]sx?\b/g

export function isExplorerTask(conversation: SimulatedConversation): boolean {
  const first = conversation.entries[0]
  return first?.type === 'prompt' && recognised.test(first.text)
}

export function exploreProject(conversation: SimulatedConversation): Reply {
  const calls = callsOfTurn(conversation)
  const blocked = calls.map(blockedCall).find((each) => each !== null)
  if (blocked)
    return textReply(`I could not look around: ${blocked.call.name} was ${blocked.why} (${blocked.message}).`)
  if (calls.length === 0) return search(conversation)
  const files = calls.flatMap((call): ReadFile[] =>
    call.name === 'Read'
      ? [{ path: String(call.input.file_path), text: withoutLineNumbers(call.result?.text ?? '') }]
      : [],
  )
  if (files.length > 0) return textReply(report(conversation, files))
  const found = calls.flatMap((call) => call.result?.text.match(codePath) ?? [])
  return readPair(conversation, [...new Set(found)])
}

function search(conversation: SimulatedConversation): Reply {
  const { offered } = conversation
  const calls: ReplyToolCall[] = []
  if (offered.has('Glob')) {
    calls.push({ name: 'Glob', input: { pattern: '{src,lib}/**/*.{js,mjs,ts}' } })
    calls.push({ name: 'Glob', input: { pattern: '**/*.test.{js,mjs,ts}' } })
  } else if (offered.has('Grep')) {
    calls.push({ name: 'Grep', input: { pattern: 'node:test', output_mode: 'files_with_matches' } })
    calls.push({ name: 'Grep', input: { pattern: '^export ', output_mode: 'files_with_matches' } })
  } else if (offered.has('Bash')) {
    calls.push({ name: 'Bash', input: { command: 'ls -d src/* test/*', description: 'List sources and tests' } })
  }
  if (calls.length === 0) return textReply('I have no tool to search for files, so I cannot tell where the code is.')
  return callTools('I look for the tests and for the code they cover.', ...calls)
}

function readPair(conversation: SimulatedConversation, found: readonly string[]): Reply {
  const test = found.find(isTestFile)
  if (!test) return textReply(`I found no test file. Files seen: ${found.join(', ') || 'none'}.`)
  const stem = test.replace(/^.*\//, '').replace(/\.(?:test|spec)\..*$/, '')
  const sources = found.filter((path) => !isTestFile(path))
  const source = sources.find((path) => path.includes(`/${stem}.`) || path.startsWith(`${stem}.`)) ?? sources[0]
  const paths = source ? [test, source] : [test]
  if (!conversation.offered.has('Read')) return textReply(`Test: ${test}\n${sourceLabel} ${source ?? 'not found'}`)
  const directory = workingDirectoryOf(conversation)
  const reads = paths.map((path) => ({ name: 'Read', input: { file_path: absolutePath(directory, path) } }))
  return callTools('I read the test beside the code it covers.', ...reads)
}

function report(conversation: SimulatedConversation, files: readonly ReadFile[]): string {
  const directory = workingDirectoryOf(conversation)
  const test = files.find((file) => isTestFile(file.path))
  const source = files.find((file) => !isTestFile(file.path))
  const sourcePath = source?.path ?? (test ? importedSource(test) : null)
  const names = [...(test?.text.matchAll(/^\s*(?:test|it)\(['"](.+?)['"],/gm) ?? [])].map((match) => match[1])
  const bug = source ? findKnownBug(source.text) : null
  return [
    `Tests: ${test?.path ?? 'not found'} (${names.length}: ${names.map((name) => `"${name}"`).join(', ')})`,
    `${sourceLabel} ${sourcePath ?? 'not found'}`,
    bug && source
      ? `Suspect: ${relativePath(directory, source.path)} line ${bug.line}, where ${bug.why}. I ran nothing; a test run will show which test fails.`
      : 'Nothing in the code looks wrong at first sight; a test run will show which test fails.',
  ].join('\n')
}
