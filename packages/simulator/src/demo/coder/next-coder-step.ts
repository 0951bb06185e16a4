// The coder's next step, from the facts alone: explore, run the tests, read, edit, run again, report.
import { listedAgentTypes, type SimulatedConversation } from '../../replies/read-conversation.ts'
import { callTools, type Reply, textReply } from '../../replies/reply.ts'
import {
  absolutePath,
  type CoderFacts,
  gatherFacts,
  importedSource,
  isTestFile,
  type ReadFile,
  relativePath,
} from './coder-facts.ts'
import { explorerPrompt, sourceLabel } from './explorer.ts'
import { findKnownBug } from './known-bug.ts'
import { explainBlocked, reportFix, reportNoKnownBug, reportStillFailing, reportUnreadable } from './report.ts'

const testCommand = 'node --test'

export function nextCoderStep(conversation: SimulatedConversation, taskStart: number): Reply {
  const facts = gatherFacts(conversation, taskStart)
  if (facts.blocked) return textReply(explainBlocked(facts.blocked, facts))
  if (facts.edit) return verify(facts)
  if (facts.runBefore === null) {
    const explores = conversation.offered.has('Agent') && facts.report === null
    return explores ? explore(conversation) : runTests('Now I run the tests to see the failure itself.')
  }
  if (facts.runBefore.failed === 0) return textReply(nothingToFix(facts))
  return fix(facts)
}

const explore = (conversation: SimulatedConversation): Reply =>
  callTools(
    'My plan: let an explorer find the tests and the code they cover, run the tests, fix the cause, run them again.',
    {
      name: 'Agent',
      input: {
        subagent_type: explorerType(conversation),
        description: 'Find the failing test',
        prompt: explorerPrompt,
        run_in_background: false,
      },
    },
  )

// Agents name their own helpers; without an "explorer" a built-in one is used.
function explorerType(conversation: SimulatedConversation): string {
  const listed = listedAgentTypes(conversation)
  return ['explorer', 'Explore', 'general-purpose'].find((type) => listed.includes(type)) ?? 'explorer'
}

const runTests = (why: string): Reply =>
  callTools(why, { name: 'Bash', input: { command: testCommand, description: 'Run the test suite' } })

function fix(facts: CoderFacts): Reply {
  const source = facts.files.find((file) => !isTestFile(file.path))
  if (!source) return readNext(facts)
  const bug = findKnownBug(source.text)
  if (!bug && facts.editUnknown) return runTests('The change is already in the file, so I run the tests again.')
  if (!bug) return textReply(reportNoKnownBug(facts, source))
  const where = `${relativePath(facts.directory, source.path)}:${bug.line}`
  return callTools(`Found it in \`${where}\`: ${bug.why}. I change that one line.`, {
    name: 'Edit',
    input: { file_path: source.path, old_string: bug.oldLine, new_string: bug.newLine },
  })
}

function readNext(facts: CoderFacts): Reply {
  const test = facts.files.find((file) => isTestFile(file.path))
  const path = sourcePath(facts, test)
  if (path) return read(`${failureSentence(facts)} I read the code under test.`, path)
  const testPath = facts.runBefore?.failing[0]?.file
  if (testPath && !test) return read('I read the failing test first.', absolutePath(facts.directory, testPath))
  return textReply(reportUnreadable(facts))
}

function sourcePath(facts: CoderFacts, test: ReadFile | undefined): string | null {
  const reported = new RegExp(`${sourceLabel} (\\S+)`).exec(facts.report ?? '')?.[1]
  if (reported) return absolutePath(facts.directory, reported)
  return test ? importedSource(test) : null
}

const read = (text: string, path: string): Reply => callTools(text, { name: 'Read', input: { file_path: path } })

function failureSentence(facts: CoderFacts): string {
  const run = facts.runBefore
  if (!run) return ''
  const names = run.failing.map((test) => `"${test.name}"`).join(', ')
  const values = run.expected && run.actual ? ` (expected ${run.expected}, got ${run.actual})` : ''
  return `${run.failed} of ${run.total} tests fails: ${names}${values}.`
}

function verify(facts: CoderFacts): Reply {
  if (facts.runAfter === null) return runTests('The line is changed. I run the tests again.')
  return textReply(
    facts.runAfter.failed === 0 ? reportFix(facts, facts.runAfter) : reportStillFailing(facts, facts.runAfter),
  )
}

function nothingToFix(facts: CoderFacts): string {
  const run = facts.runBefore
  return `There is nothing to fix: ${run?.passed} of ${run?.total} tests pass.`
}
