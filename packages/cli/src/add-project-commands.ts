// The commands around agent files: making one, checking it, what editors need to know of it.
import type { Command } from 'commander'
import { init } from './commands/init.ts'
import { schema } from './commands/schema.ts'
import { validate } from './commands/validate.ts'
import { templates } from './init/templates.ts'
import type { Terminal } from './terminal.ts'

export function addProjectCommands(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  program
    .command('init')
    .description('make a folder with an agent that runs at once, offline')
    .argument('[folder]', 'where; named after the template unless said')
    .option('--template <name>', `what to begin with: ${templates.map(({ name }) => name).join(', ')}`)
    .option('--name <name>', 'what the agent is called; the name of the folder unless said')
    .option('--force', 'replace files that are there')
    .option('--list', 'only list the templates')
    .action(async (folder: string | undefined, flags) =>
      finish(await init(terminal, { ...(folder === undefined ? {} : { folder }), flags })),
    )
  program
    .command('validate')
    .description('check agent files; every problem at once, with line and column (exit 2 when one is invalid)')
    .argument('[paths...]', 'agent files, or folders with some', [])
    .option('--json', 'print the report as JSON')
    .action(async (paths: string[], flags) => finish(await validate(terminal, { paths, json: flags.json === true })))
  program
    .command('schema')
    .description('print the JSON Schema of agent.yaml, for editors')
    .option('--config', 'that of config.yaml instead')
    .action((flags) => finish(schema(terminal, flags)))
}
