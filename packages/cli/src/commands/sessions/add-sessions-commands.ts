import { Option } from 'commander'
import { type AddCommand, wholeNumber, withDataOptions } from '../../flags/command-options.ts'
import { answer } from './answer.ts'
import { approve } from './approve.ts'
import { controlSession, forkSession, rewindSession } from './control-session.ts'
import { exportSession } from './export-session.ts'
import { listSessions, showSession } from './sessions.ts'
import { tailSession } from './tail-session.ts'

export const addSessionsCommands: AddCommand = (program, terminal, finish) => {
  const sessions = program.command('sessions').description('list, read and control sessions')
  withDataOptions(sessions.command('list').alias('ls'))
    .description('list sessions, newest first')
    .option('--limit <n>', 'how many, up to 200', wholeNumber(1, 200), 50)
    .action(async (flags) => finish(await listSessions(terminal, flags)))
  withDataOptions(sessions.command('show'))
    .description('print a session as a transcript, or its events with --json')
    .argument('<session>', 'session id')
    .action(async (id: string, flags) => finish(await showSession(terminal, { id, flags })))
  withDataOptions(sessions.command('tail'))
    .description('follow a session until it closes or you press Ctrl-C')
    .argument('<session>', 'session id')
    .option('--after <seq>', 'only events after this one', wholeNumber())
    .action(async (id: string, flags) => finish(await tailSession(terminal, { id, flags })))
  sessions
    .command('export')
    .description('export the whole log of a session')
    .argument('<session>', 'session id')
    .addOption(
      new Option('--format <format>', 'events, or a document to read').choices(['jsonl', 'markdown']).default('jsonl'),
    )
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--data <folder>', 'data folder (default: ./.quarterdeck)')
    .action(async (id: string, flags) => finish(await exportSession(terminal, { id, flags })))
  addControl(sessions, terminal, finish)
  addDecisions(sessions, terminal, finish)
}

/** These commands call the server that runs on the data folder. */
const addControl: AddCommand = (sessions, terminal, finish) => {
  for (const [control, description] of [
    ['interrupt', 'stop the running turn; the session can continue'],
    ['pause', 'stop the running turn and hold the queue'],
    ['resume', 'continue after a pause, an interruption or a crash'],
    ['cancel', 'stop all work and close the session for good'],
  ] as const) {
    withDataOptions(sessions.command(control))
      .description(description)
      .argument('<session>', 'session id')
      .action(async (id: string, flags) => finish(await controlSession(terminal, { id, control, flags })))
  }
  withDataOptions(sessions.command('fork'))
    .description('start a new session from the conversation so far and print its id')
    .argument('<session>', 'session id')
    .option('--at <seq>', 'fork at the message with this number; a message of a person is asked again', wholeNumber())
    .option('--title <title>', 'title of the new session')
    .option('--message <text>', 'first message of the new session')
    .action(async (id: string, flags) => finish(await forkSession(terminal, { id, flags })))
  withDataOptions(sessions.command('rewind'))
    .description('restore conversation and files to the state before a message, and list what was restored')
    .argument('<session>', 'session id')
    .argument('<message>', 'the message to go back to (umsg_…)')
    .option('--no-conversation', 'restore only the files')
    .option('--no-files', 'restore only the conversation')
    .option('--dry-run', 'print the result without restoring anything')
    .action(async (id: string, message: string, flags) => finish(await rewindSession(terminal, { id, message, flags })))
}

const addDecisions: AddCommand = (sessions, terminal, finish) => {
  withDataOptions(sessions.command('approve'))
    .description('allow or deny a tool call that waits for approval')
    .argument('<id>', 'an approval (apr_…), or a session with one open approval')
    .option('--deny', 'deny instead of allow')
    .option('--always', 'allow the same kind of call for the rest of this session')
    .option('--rule <rule>', 'with --always: the rule to add, such as mcp__notes__add_note or mcp__notes')
    .option('--input <json>', 'run the tool with this input instead')
    .option('--note <text>', 'a note for the agent')
    .option('--all', 'decide all open approvals of the session')
    .action(async (what: string, flags) => finish(await approve(terminal, { what, flags })))
  withDataOptions(sessions.command('answer'))
    .description('answer a question of a session')
    .argument('<id>', 'a question (qst_…), or a session with one open question')
    .argument('[words...]', 'the answer to a single question', [])
    .option('--answers <json>', 'answers to several questions by question, or to a form by field')
    .option('--decline', 'refuse to answer')
    .option('--note <text>', 'a note for the agent')
    .action(async (what: string, words: string[], flags) => finish(await answer(terminal, { what, words, flags })))
}
