// The commands around agent files: making one, checking it, what editors need to know of it.
import { type Command, Option } from 'commander'
import { init } from '../commands/init/init.ts'
import { templates } from '../commands/init/templates.ts'
import { addMcpServer, listMcpServers, removeMcpServer } from '../commands/mcp/mcp.ts'
import { schema } from '../commands/schema/schema.ts'
import { validate } from '../commands/validate/validate.ts'
import type { Terminal } from '../terminal/terminal.ts'

type AddCommand = (program: Command, terminal: Terminal, finish: (code: number) => void) => void

export const addInitCommand: AddCommand = (program, terminal, finish) => {
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
}

export const addProjectCommands: AddCommand = (program, terminal, finish) => {
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
  addMcp(program, terminal, finish)
}

const addMcp: AddCommand = (program, terminal, finish) => {
  const mcp = program.command('mcp').description('the MCP servers of an agent file; comments in it are kept')
  mcp
    .command('add')
    .description('add one: a command after --, or an address with --url')
    .showHelpAfterError('(what belongs to the server goes behind --: quarterdeck mcp add NAME -- npx -y PACKAGE)')
    .argument('<name>', 'what it is called: letters, digits and _')
    .argument('[command...]', 'the program that is the server, and its arguments', [])
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--url <url>', 'the address of a server that runs elsewhere')
    .addOption(
      new Option('--transport <kind>', 'how to speak to that address; http unless said').choices(['http', 'sse']),
    )
    .option('--env <names...>', 'variables its process may see beside PATH and HOME')
    .option('--description <text>', 'what it is for')
    .action(async (name: string, command: string[], flags) =>
      finish(await addMcpServer(terminal, { name, command, flags })),
    )
  mcp
    .command('remove')
    .description('take one out')
    .argument('<name>', 'what it is called')
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .action(async (name: string, flags) => finish(await removeMcpServer(terminal, { name, flags })))
  mcp
    .command('list')
    .description('those the agent has, also through its config.yaml')
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--json', 'print JSON')
    .action(async (flags) => finish(await listMcpServers(terminal, flags)))
}
