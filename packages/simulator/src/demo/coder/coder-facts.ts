// The facts that the history of a coding task proves so far. The next step of the coder depends only on them, so a new
// process, an interruption or an approved call that is issued again all continue correctly.
import { posix } from 'node:path'
import type { SimulatedConversation, ToolCallEntry } from '../../replies/read-conversation.ts'
import { workingDirectoryOf } from '../../replies/read-conversation.ts'
import { type BlockedCall, blockedCall } from '../facts/blocked-call.ts'
import { readTestRun, type TestRun } from './test-run.ts'

export interface ReadFile {
  readonly path: string
  readonly text: string
}
export type AppliedEdit = ReadFile & { readonly oldLine: string; readonly newLine: string }

export interface CoderFacts {
  readonly directory: string | null
  readonly report: string | null
  readonly runBefore: TestRun | null
  readonly runAfter: TestRun | null
  readonly files: readonly ReadFile[]
  readonly edit: AppliedEdit | null
  /** An edit with an unknown outcome: the process died while it ran. */
  readonly editUnknown: boolean
  /** The call that stopped the task since the user's last message. */
  readonly blocked: BlockedCall | null
}

const unreadPattern = /has not been read|modified since read|read it (?:first|again)/i
const unchangedPattern = /^file unchanged since last read/i

export function gatherFacts(conversation: SimulatedConversation, taskStart: number): CoderFacts {
  let facts: CoderFacts = {
    directory: workingDirectoryOf(conversation),
    report: null,
    runBefore: null,
    runAfter: null,
    files: [],
    edit: null,
    editUnknown: false,
    blocked: null,
  }
  for (const [index, entry] of conversation.entries.entries()) {
    if (index <= taskStart || entry.type !== 'call') continue
    facts = afterCall(facts, entry, index > conversation.promptIndex)
  }
  return facts
}

function afterCall(facts: CoderFacts, call: ToolCallEntry, isOfThisTurn: boolean): CoderFacts {
  const text = call.result?.text ?? ''
  const run = call.name === 'Bash' ? readTestRun(text) : null
  // A test run also settles an edit with an unknown outcome.
  if (run) return { ...facts, editUnknown: false, ...(facts.edit ? { runAfter: run } : { runBefore: run }) }
  const blocked = blockedCall(call)
  if (blocked) return afterBlocked(facts, blocked, isOfThisTurn)
  switch (call.name) {
    case 'Agent':
    case 'Task':
      return { ...facts, report: text }
    case 'Read':
      return afterRead(facts, pathOf(call), text)
    case 'Edit':
      return {
        ...facts,
        editUnknown: false,
        runAfter: null,
        edit: {
          path: pathOf(call),
          text: '',
          oldLine: asText(call.input.old_string),
          newLine: asText(call.input.new_string),
        },
      }
    default:
      return facts
  }
}

function afterBlocked(facts: CoderFacts, blocked: BlockedCall, isOfThisTurn: boolean): CoderFacts {
  if (blocked.call.name === 'Edit' && unreadPattern.test(blocked.message)) return { ...facts, files: [] }
  if (isOfThisTurn) return { ...facts, blocked }
  const lostEdit = blocked.call.name === 'Edit' && blocked.why === 'interrupted'
  return lostEdit ? { ...facts, editUnknown: true, files: [] } : facts
}

function afterRead(facts: CoderFacts, path: string, text: string): CoderFacts {
  const earlier = facts.files.find((file) => file.path === path)
  if (unchangedPattern.test(text) && earlier) return facts
  const file = { path, text: withoutLineNumbers(text) }
  return { ...facts, files: [...facts.files.filter((each) => each.path !== path), file] }
}

/** `Read` numbers the lines; an edit needs the original lines. */
export const withoutLineNumbers = (text: string): string => text.replaceAll(/^ *\d+(?:→|\t)/gm, '')

export const absolutePath = (directory: string | null, path: string): string =>
  posix.isAbsolute(path) || directory === null ? path : posix.join(directory, path)

export const relativePath = (directory: string | null, path: string): string =>
  directory !== null && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path

/** The file that a test imports by a relative path, if its text shows one. */
export function importedSource(test: ReadFile): string | null {
  const specifier = /from ['"](\.{1,2}\/[^'"]+)['"]/.exec(test.text)?.[1]
  return specifier === undefined ? null : posix.join(posix.dirname(test.path), specifier)
}

export const isTestFile = (path: string): boolean => /(?:^|\/)tests?\/|\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path)

const pathOf = (call: ToolCallEntry): string => asText(call.input.file_path)

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')
