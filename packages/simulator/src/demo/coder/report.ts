// The coder's final report to the person. Every number comes from a real test run.
import type { BlockedCall } from '../facts/blocked-call.ts'
import { type CoderFacts, type ReadFile, relativePath } from './coder-facts.ts'
import { findKnownBug } from './known-bug.ts'
import type { TestRun } from './test-run.ts'

export function reportFix(facts: CoderFacts, run: TestRun): string {
  const before = facts.runBefore
  const source = facts.edit ? facts.files.find((file) => file.path === facts.edit?.path) : undefined
  const why = source ? findKnownBug(source.text)?.why : undefined
  const names = before?.failing.map((test) => `"${test.name}"`).join(', ')
  const values = before?.expected && before.actual ? ` It expected ${before.expected} and got ${before.actual}.` : ''
  return [
    `Fixed. The failing test was ${names || 'in the suite'}.${values}`,
    why ? `What was wrong: ${why}.` : 'What was wrong: the line below.',
    editAsDiff(facts),
    `All tests are green now: ${run.passed} of ${run.total} pass.`,
  ].join('\n\n')
}

export function reportStillFailing(facts: CoderFacts, run: TestRun): string {
  const names = run.failing.map((test) => `"${test.name}"`).join(', ')
  return [
    `My change did not settle it: ${run.failed} of ${run.total} tests still fail (${names}).`,
    editAsDiff(facts),
    'I am the local simulator and know only a few bugs. The change is in the file; please look at it or undo it.',
  ].join('\n\n')
}

export function reportNoKnownBug(facts: CoderFacts, source: ReadFile): string {
  const names = facts.runBefore?.failing.map((test) => `"${test.name}"`).join(', ')
  return (
    `I ran the tests and read \`${relativePath(facts.directory, source.path)}\`. The failing test is ${names}, ` +
    'but I cannot fix this one: I am the local simulator, not a model, and I know only a few one-line bugs. ' +
    'I changed nothing. With a provider key a real model takes over this agent as it is.'
  )
}

export function reportUnreadable(facts: CoderFacts): string {
  const names = facts.runBefore?.failing.map((test) => `"${test.name}"`).join(', ')
  return `The tests fail (${names}), but I could not find the code they cover. I changed nothing. Tell me the file and I look again.`
}

export function explainBlocked(blocked: BlockedCall, facts: CoderFacts): string {
  const { call, why, message } = blocked
  const what = call.name === 'Bash' ? `\`${String(call.input.command)}\`` : `the ${call.name} call`
  const changed = facts.edit ? 'The edit I made before stays in the file.' : 'Nothing was changed.'
  switch (why) {
    case 'denied':
      return [
        `I was not allowed to run ${what}${message ? `: ${message}` : '.'}`,
        `I stop here. ${changed} ${alternative(blocked)}`,
      ].join('\n\n')
    case 'interrupted':
      return `${capitalised(what)} was interrupted before it finished (${message}), so its outcome is not known. Say "continue" and I go on.`
    case 'failed':
      return `${capitalised(what)} failed:\n\n\`\`\`\n${message.slice(0, 600)}\n\`\`\`\n\nI stop here. ${changed}`
  }
}

function alternative({ call }: BlockedCall): string {
  if (call.name === 'Edit') {
    const diff = asDiff(String(call.input.file_path), String(call.input.old_string), String(call.input.new_string))
    return `This is the change I would make:\n\n${diff}`
  }
  if (call.name === 'Bash')
    return 'You can run it yourself and tell me what it printed, or say "continue" to let me ask again.'
  return 'Say "continue" to let me ask again, or tell me another way.'
}

function editAsDiff(facts: CoderFacts): string {
  if (!facts.edit) return ''
  return asDiff(relativePath(facts.directory, facts.edit.path), facts.edit.oldLine, facts.edit.newLine)
}

function asDiff(path: string, oldText: string, newText: string): string {
  const removed = oldText.split('\n').map((line) => `-${line}`)
  const added = newText.split('\n').map((line) => `+${line}`)
  return ['```diff', `--- a/${path}`, `+++ b/${path}`, ...removed, ...added, '```'].join('\n')
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
