// The command line: composes the commands, prints help, and maps misuse to exit code 2.
import { Command, CommanderError } from 'commander'
import { addAuditCommands } from '../commands/audit/audit.ts'
import { addChatCommand } from '../commands/chat/chat.ts'
import { addCostsCommand } from '../commands/costs/costs.ts'
import { addDoctorCommand } from '../commands/doctor/doctor.ts'
import { addInitCommand } from '../commands/init/init.ts'
import { addKeyCommands } from '../commands/keys/keys.ts'
import { addMcpCommands } from '../commands/mcp/mcp.ts'
import { addRetrievalCommands } from '../commands/retrieval/retrieval.ts'
import { addRunCommand } from '../commands/run/run.ts'
import { addSchemaCommand } from '../commands/schema/schema.ts'
import { addServeCommand } from '../commands/serve/add-serve-command.ts'
import { addSessionsCommands } from '../commands/sessions/add-sessions-commands.ts'
import { addSidecarCommand } from '../commands/sidecar/sidecar.ts'
import { addTestCommand } from '../commands/test/test.ts'
import { addValidateCommand } from '../commands/validate/validate.ts'
import { commandLine } from '../terminal/command-line.ts'
import { print, type Terminal } from '../terminal/terminal.ts'

const addCommands = [
  addInitCommand,
  addServeCommand,
  addRunCommand,
  addChatCommand,
  addSidecarCommand,
  addTestCommand,
  addRetrievalCommands,
  addSessionsCommands,
  addCostsCommand,
  addAuditCommands,
  addKeyCommands,
  addValidateCommand,
  addSchemaCommand,
  addMcpCommands,
  addDoctorCommand,
]

const gettingStarted = (command: string): string => `
Getting started:
  ${command} init my-agent                      create an agent in a new folder
  ${command} serve examples                     open the workbench with the example agents
  ${command} chat examples/hello                chat in the terminal
  ${command} run examples/hello "hi" --json     get one answer in a script

No API key? Add --model-source simulator to stay offline.`

/** Runs one command and resolves with its exit code; misuse of the command line is 2. */
export async function runProgram(terminal: Terminal, argv: readonly string[], version: string): Promise<number> {
  let exitCode = 0
  const finish = (code: number) => {
    exitCode = code
  }
  const program = buildProgram(terminal, version, finish)
  if (argv.length === 0) {
    print(terminal, program.helpInformation() + gettingStarted(commandLine(terminal)))
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

/** `sessions` alone lists sessions. A default command of commander would take a mistyped name for its argument. */
function withDefault([group, next, ...rest]: readonly string[]): string[] {
  const isAlone = next === undefined || (next.startsWith('-') && next !== '--help' && next !== '-h')
  const words = next === undefined ? [] : [next, ...rest]
  return [...(group === undefined ? [] : [group]), ...(group === 'sessions' && isAlone ? ['list'] : []), ...words]
}

export function buildProgram(terminal: Terminal, version: string, finish: (code: number) => void): Command {
  const program = new Command('quarterdeck')
    .description('Run, test and supervise agents.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showSuggestionAfterError()
    .addHelpText('after', gettingStarted(commandLine(terminal)))
  for (const addCommand of addCommands) addCommand(program, terminal, finish)
  return program
}
