import { Option } from 'commander'
import type { AddCommand } from '../../flags/command-options.ts'
import { addMcpServer, listMcpServers, removeMcpServer } from './mcp.ts'

export const addMcpCommands: AddCommand = (program, terminal, finish) => {
  const mcp = program.command('mcp').description('edit the MCP servers of an agent file; comments are preserved')
  mcp
    .command('add')
    .description('add a server: a command after --, or an address with --url')
    .showHelpAfterError('(put the command of the server after --: quarterdeck mcp add NAME -- npx -y PACKAGE)')
    .argument('<name>', 'name of the server: letters, digits and _')
    .argument('[command...]', 'command that starts the server, with its arguments', [])
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--url <url>', 'address of a remote server')
    .addOption(new Option('--transport <kind>', 'transport for the address (default: http)').choices(['http', 'sse']))
    .option('--env <names...>', 'environment variables to pass to the server, in addition to PATH and HOME')
    .option('--description <text>', 'what the server is for')
    .action(async (name: string, command: string[], flags) =>
      finish(await addMcpServer(terminal, { name, command, flags })),
    )
  mcp
    .command('remove')
    .description('remove a server')
    .argument('<name>', 'name of the server')
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .action(async (name: string, flags) => finish(await removeMcpServer(terminal, { name, flags })))
  mcp
    .command('list')
    .description('list the servers of the agent, including those from config.yaml')
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--json', 'print JSON')
    .action(async (flags) => finish(await listMcpServers(terminal, flags)))
}
