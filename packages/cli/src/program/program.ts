// The command line as people type it: names, flags, help. What each command does lives in commands/.
import { defaultCompatPorts, wireNames } from '@quarterdeck/server'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { exportAudit, verifyAudit } from '../commands/audit/audit.ts'
import { chat } from '../commands/chat/chat.ts'
import { costs } from '../commands/costs/costs.ts'
import { doctor } from '../commands/doctor/doctor.ts'
import { addKeyCommands } from '../commands/keys/add-key-commands.ts'
import { addRetrievalCommands } from '../commands/retrieval/add-retrieval-commands.ts'
import { run } from '../commands/run/run.ts'
import { addCompatFlag } from '../commands/serve/compat-flag.ts'
import { serve } from '../commands/serve/serve.ts'
import { answer } from '../commands/sessions/answer.ts'
import { approve } from '../commands/sessions/approve.ts'
import { controlSession, forkSession, rewindSession } from '../commands/sessions/control-session.ts'
import { exportSession } from '../commands/sessions/export-session.ts'
import { listSessions, showSession } from '../commands/sessions/sessions.ts'
import { tailSession } from '../commands/sessions/tail-session.ts'
import { addSidecarCommand } from '../commands/sidecar/add-sidecar-command.ts'
import { addTestCommand } from '../commands/test/add-test-command.ts'
import { defaultPort, portOf, portRule } from '../flags/port.ts'
import { unsandboxedText } from '../flags/runtime-options.ts'
import { print, type Terminal } from '../terminal/terminal.ts'
import { addInitCommand, addProjectCommands } from './add-project-commands.ts'

const startingPoints = `
Places to start:
  quarterdeck init my-agent                      an agent of your own, in a folder that runs at once
  quarterdeck serve examples                     the workbench, with the example agents
  quarterdeck chat examples/hello                a conversation here in the terminal
  quarterdeck run examples/hello "hi" --json     one answer for a script

Without a key, add --model-source simulator: everything stays on this machine.`

const defaultPorts = wireNames.map((name) => `${name}:${defaultCompatPorts[name]}`).join(', ')

/** Runs one command and resolves with its exit code; misuse of the command line is 2. */
export async function runProgram(terminal: Terminal, argv: readonly string[], version: string): Promise<number> {
  let exitCode = 0
  const finish = (code: number) => {
    exitCode = code
  }
  const program = buildProgram(terminal, version, finish)
  if (argv.length === 0) {
    print(terminal, program.helpInformation() + startingPoints)
    return 0
  }
  try {
    await program.parseAsync(withDefault(argv), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    throw error
  }
}

/** `sessions` alone lists them. Not by a default command, which would take a mistyped name for its argument. */
function withDefault([group, next, ...rest]: readonly string[]): string[] {
  const isAlone = next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h')
  const words = next === undefined ? [] : [next, ...rest]
  return [...(group === undefined ? [] : [group]), ...(group === 'sessions' && isAlone ? ['ls'] : []), ...words]
}

export function buildProgram(terminal: Terminal, version: string, finish: (code: number) => void): Command {
  const program = new Command('quarterdeck')
    .description('Run, test and supervise agents: one agent file, one event log, every wire.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showSuggestionAfterError()
    .addHelpText('after', startingPoints)
  addInitCommand(program, terminal, finish)
  addServe(program, terminal, finish)
  addRun(program, terminal, finish)
  addChat(program, terminal, finish)
  addSidecarCommand(program, { terminal, finish, shared, wholeNumber })
  addTestCommand(program, terminal, finish)
  addRetrievalCommands(program, terminal, finish)
  addSessions(program, terminal, finish)
  addOversight(program, terminal, finish)
  addChecks(program, terminal, finish)
  return program
}

type AddCommand = (program: Command, terminal: Terminal, finish: (code: number) => void) => void

const addServe: AddCommand = (program, terminal, finish) => {
  shared(program.command('serve'))
    .description('serve every agent.yaml under PATH: workbench and API')
    .argument('[paths...]', 'folders or agent files', [])
    .addOption(
      new Option('--port <n>', 'port to listen on; a taken one gives the next free')
        .env('QUARTERDECK_PORT')
        .default(defaultPort)
        .argParser(port),
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--public-url <url>', 'how browsers reach this server through a proxy')
    .option('--origin <url...>', 'further origins whose pages may call the API and use the doors')
    .option(
      '--door <wire[:port]>',
      `open a foreign wire on a loopback port of its own, without a token; several times for several. With the usual ports: ${defaultPorts}`,
      addCompatFlag,
    )
    .option('--agent <name>', 'the agent behind the doors, where more than one is served')
    .option('--grace-seconds <n>', 'time running turns get when the server is told to stop', wholeNumber, 20)
    .addOption(
      new Option(
        '--audit-copy <target>',
        'also send the heads of the audit chain to this file or http(s) address, for "audit verify --copy"',
      )
        .env('QUARTERDECK_AUDIT_COPY')
        .argParser(copyTarget),
    )
    .option('--accept-loss', 'start although the data folder has lost data; the audit chain records the loss')
    .addOption(
      new Option(
        '--log-format <format>',
        'text: one plain line per event; json: for log collectors (default: text in a terminal, else json)',
      ).choices(['text', 'json']),
    )
    .option('--watch', 'load functions of agent files anew when their modules change')
    .option('--no-open', 'do not open a browser')
    .action(async (paths: string[], flags) => finish(await serve(terminal, { paths, flags })))
}

const addRun: AddCommand = (program, terminal, finish) => {
  shared(program.command('run'))
    .description('run one message and print the answer (exit 0 done, 1 agent error, 2 configuration, 3 backend)')
    .argument('<agent>', 'an agent file, or a folder with an agent.yaml')
    .argument('<message>', 'what to tell it')
    .option('--json', 'print the whole result as JSON')
    .option('--image <file...>', 'pictures that go with the message')
    .option('--model <name>', 'a model id or tier instead of the one in the file')
    .action(async (agent: string, message: string, flags) => finish(await run(terminal, { agent, message, flags })))
}

const addChat: AddCommand = (program, terminal, finish) => {
  shared(program.command('chat'))
    .description('talk to an agent; works in a pipe too, one message a line')
    .argument('[agent]', 'an agent file, or a folder with an agent.yaml; this folder unless said', '.')
    .option('--resume <session>', 'go on with an earlier session')
    .option('--model <name>', 'a model id or tier instead of the one in the file')
    .action(async (agent: string, flags) => finish(await chat(terminal, { agent, flags })))
}

const addSessions: AddCommand = (program, terminal, finish) => {
  const sessions = program.command('sessions').description('what the log holds, and control of what runs')
  reading(sessions.command('ls'))
    .description('sessions, newest first')
    .option('--limit <n>', 'how many, up to 200', listLength, 50)
    .action(async (flags) => finish(await listSessions(terminal, flags)))
  reading(sessions.command('show'))
    .description('one session as a transcript, or its events with --json')
    .argument('<session>', 'its id')
    .action(async (id: string, flags) => finish(await showSession(terminal, { id, flags })))
  reading(sessions.command('tail'))
    .description('one session as it happens; ends with it, or with Ctrl-C')
    .argument('<session>', 'its id')
    .option('--after <seq>', 'only what comes after this event', wholeNumber)
    .action(async (id: string, flags) => finish(await tailSession(terminal, { id, flags })))
  sessions
    .command('export')
    .description('everything the log holds of a session')
    .argument('<session>', 'its id')
    .addOption(new Option('--format <format>', 'events, or a document').choices(['jsonl', 'markdown']).default('jsonl'))
    .option('--out <file>', 'write there instead of to standard output')
    .option('--data <folder>', 'where the log is kept (default: ./.quarterdeck)')
    .action(async (id: string, flags) => finish(await exportSession(terminal, { id, flags })))
  addControl(sessions, terminal, finish)
  addDecisions(sessions, terminal, finish)
}

/** These ask the server that runs on the data folder. */
const addControl: AddCommand = (sessions, terminal, finish) => {
  for (const [control, description] of [
    ['interrupt', 'stop the running turn; the session can go on'],
    ['pause', 'stop the running turn and hold the queue'],
    ['resume', 'go on after a pause, an interruption or a crash'],
    ['cancel', 'stop whatever runs and close the session for good'],
  ] as const) {
    reading(sessions.command(control))
      .description(description)
      .argument('<session>', 'its id')
      .action(async (id: string, flags) => finish(await controlSession(terminal, { id, control, flags })))
  }
  reading(sessions.command('fork'))
    .description('a new session that begins with the conversation so far; prints its id')
    .argument('<session>', 'its id')
    .option('--at <seq>', 'keep everything up to this event, which must be a message', wholeNumber)
    .option('--title <title>', 'what the new one is called')
    .option('--message <text>', 'its first message')
    .action(async (id: string, flags) => finish(await forkSession(terminal, { id, flags })))
  reading(sessions.command('rewind'))
    .description('take conversation and files back to before a message; says exactly what was restored')
    .argument('<session>', 'its id')
    .argument('<message>', 'the message to go back to (umsg_…)')
    .option('--no-conversation', 'only the files')
    .option('--no-files', 'only the conversation')
    .option('--dry-run', 'only say what would happen')
    .action(async (id: string, message: string, flags) => finish(await rewindSession(terminal, { id, message, flags })))
}

const addDecisions: AddCommand = (sessions, terminal, finish) => {
  reading(sessions.command('approve'))
    .description('decide what a session asks for')
    .argument('<what>', 'an approval (apr_…), or a session with one open')
    .option('--deny', 'refuse instead')
    .option('--always', 'allow the same kind of call for the rest of this session')
    .option('--rule <rule>', 'with --always: the rule to add, such as mcp__notes__add_note or mcp__notes')
    .option('--input <json>', 'run this input instead of what was asked')
    .option('--note <text>', 'a word to the agent')
    .option('--all', 'decide every open one of the session')
    .action(async (what: string, flags) => finish(await approve(terminal, { what, flags })))
  reading(sessions.command('answer'))
    .description('answer a question of a session')
    .argument('<what>', 'a question (qst_…), or a session with one open')
    .argument('[words...]', 'the answer to a single question', [])
    .option('--answers <json>', 'the answers to several by question, or to a form by field')
    .option('--decline', 'refuse to answer')
    .option('--note <text>', 'a word to the agent')
    .action(async (what: string, words: string[], flags) => finish(await answer(terminal, { what, words, flags })))
}

const addOversight: AddCommand = (program, terminal, finish) => {
  reading(program.command('costs'))
    .description('what was used and what it cost')
    .option('--by <groups>', 'day, model, agent, user, key, session, or several with commas', 'day')
    .option('--from <time>', 'a day (2026-01-31) or a moment, in UTC')
    .option('--to <time>', 'up to but without this day or moment')
    .option('--agent <name>', 'only this agent')
    .option('--user <name>', 'only this user')
    .action(async (flags) => finish(await costs(terminal, flags)))
  const audit = program.command('audit').description('proof of what happened')
  reading(audit.command('verify'))
    .description(
      'check every link of the chain, and every event, booking, key and session owner it covers (exit 1 when one is broken)',
    )
    .option('--head <hash:count>', 'also prove that the chain still contains this head of an earlier time')
    .option('--copy <file>', 'also prove that the chain contains every head in this copy ("serve --audit-copy")')
    .action(async (flags) => finish(await verifyAudit(terminal, flags)))
  audit
    .command('export')
    .description('the whole chain, one JSON entry a line')
    .option('--out <file>', 'write there instead of to standard output')
    .option('--data <folder>', 'where the log is kept (default: ./.quarterdeck)')
    .action(async (flags) => finish(await exportAudit(terminal, flags)))
  addKeyCommands(program, { terminal, finish, reading })
}

const addChecks: AddCommand = (program, terminal, finish) => {
  addProjectCommands(program, terminal, finish)
  reading(program.command('doctor'))
    .description('check this machine and the agents here: what is wrong and how to mend it')
    .argument('[paths...]', 'agent files, or folders with some; this folder unless said', [])
    .action(async (paths: string[], flags) => finish(await doctor(terminal, flags, paths)))
}

const shared = (command: Command): Command =>
  command
    .option('--data <folder>', 'where the log and everything else is kept (default: ./.quarterdeck)')
    .addOption(
      new Option('--model-source <source>', 'who answers; auto means the provider if its key is there').choices([
        'provider',
        'simulator',
        'auto',
      ]),
    )
    .option('--script <file>', 'let the simulator play this scenario')
    .option('--allow-unsandboxed', unsandboxedText)
    .option('--verbose', 'log more')

const reading = (command: Command): Command =>
  command.option('--data <folder>', 'where the log is kept (default: ./.quarterdeck)').option('--json', 'print JSON')

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number')
  return Number(text)
}

/** As many as a server gives at once. */
function listLength(text: string): number {
  const value = wholeNumber(text)
  if (value < 1 || value > 200) throw new InvalidArgumentError('must be a whole number from 1 to 200')
  return value
}

function copyTarget(text: string): string {
  if (/^https?:\/\//i.test(text) ? URL.canParse(text) : text !== '' && !text.includes('://')) return text
  throw new InvalidArgumentError('must be a file, or an address that starts with http:// or https://')
}

function port(text: string): number {
  const value = portOf(text)
  if (value === null) throw new InvalidArgumentError(portRule)
  return value
}
