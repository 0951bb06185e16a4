// `quarterdeck mcp add|remove|list`: the MCP servers of an agent file. Comments and formatting are preserved.
import { relative } from 'node:path'
import {
  addMcpTool,
  createAgentRegistry,
  formatProblem,
  inheritedTools,
  type McpEntry,
  removeMcpTool,
} from '@quarterdeck/engine'
import { type McpTool, QuarterdeckError, visibleText } from '@quarterdeck/protocol'
import { Option } from 'commander'
import { agentFile } from '../../connect/open-agent.ts'
import type { AddCommand } from '../../flags/command-options.ts'
import { formatTable } from '../../render/format-table.ts'
import { commandLine, shellWord } from '../../terminal/command-line.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { editAgentFile } from './edit-agent-file.ts'

export const addMcpCommands: AddCommand = (program, terminal, finish) => {
  const mcp = program.command('mcp').description('edit the MCP servers of an agent file; comments are preserved')
  mcp
    .command('add')
    .description('add a server: a command after --, or an address with --url')
    .showHelpAfterError(
      `(put the command of the server after --: ${commandLine(terminal)} mcp add NAME -- npx -y PACKAGE)`,
    )
    .argument('<name>', 'name of the server: letters, digits and _')
    .argument('[command...]', 'command that starts the server, with its arguments', [])
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--url <url>', 'address of a remote server')
    .addOption(new Option('--transport <kind>', 'transport for the address (default: http)').choices(['http', 'sse']))
    .option('--env <names...>', 'environment variables to pass to the server, in addition to PATH and HOME')
    .option('--description <text>', 'purpose of the server')
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
    .alias('ls')
    .description('list the servers of the agent, including those from config.yaml')
    .option('--agent <file>', 'the agent file, or its folder', '.')
    .option('--json', 'print JSON')
    .action(async (flags) => finish(await listMcpServers(terminal, flags)))
}

export interface McpAddFlags {
  readonly agent?: string
  readonly url?: string
  readonly transport?: 'http' | 'sse'
  readonly env?: readonly string[]
  readonly description?: string
}

interface McpAddInput {
  readonly name: string
  readonly command: readonly string[]
  readonly flags: McpAddFlags
}

export async function addMcpServer(terminal: Terminal, input: McpAddInput): Promise<number> {
  const { name, flags } = input
  const file = agentFile(terminal, flags.agent ?? '.')
  const entry = entryOf(input)
  await refuseToReplace(terminal, file)
  const warnings = await editAgentFile(terminal, file, { change: (text) => addMcpTool(text, entry) })
  const shown = relative(terminal.cwd, file)
  print(
    terminal,
    visibleText(`${name} added to ${shown}. Calls of its tools need approval. To allow a tool without approval,`),
  )
  const doctor = `${commandLine(terminal)} doctor ${shellWord(shown)}`
  print(
    terminal,
    visibleText(`add approvals.allow: [mcp__${name}__TOOL]. ${doctor} starts the server and lists its tools.`),
  )
  for (const { message } of warnings) remark(terminal, visibleText(`warning: ${message}`))
  return 0
}

/** A list in the file replaces the inherited one. */
async function refuseToReplace(terminal: Terminal, file: string): Promise<void> {
  const inherited = await inheritedTools(file, terminal)
  if (inherited === null) return
  const here = relative(terminal.cwd, file)
  const there = relative(terminal.cwd, inherited.file)
  const why = `${here} inherits its tools (${inherited.names.join(', ')}) from ${there}, and its own list would replace them`
  const hint = `add the server there with --agent ${shellWord(there)}, or copy the tools into ${here} first. Nothing was written.`
  throw misuse(visibleText(`${why}: ${hint}`))
}

export async function removeMcpServer(
  terminal: Terminal,
  { name, flags }: { name: string; flags: { readonly agent?: string } },
): Promise<number> {
  const file = agentFile(terminal, flags.agent ?? '.')
  await editAgentFile(terminal, file, {
    change: (text) => removeMcpTool(text, name),
    explain: ({ path, message }) =>
      path.startsWith('approvals.') ? `"${path}" still names it (${message}): remove that rule first` : message,
  })
  print(terminal, visibleText(`${name} removed from ${relative(terminal.cwd, file)}.`))
  return 0
}

export async function listMcpServers(
  terminal: Terminal,
  flags: { readonly agent?: string; readonly json?: boolean },
): Promise<number> {
  const file = agentFile(terminal, flags.agent ?? '.')
  const { env, cwd, homeDir } = terminal
  const [loaded] = await createAgentRegistry({ paths: [file], env, cwd, homeDir, credentials: 'note' }).loaded()
  if (loaded?.agent == null) {
    const problems = (loaded?.problems ?? []).filter(({ severity }) => severity === 'error')
    throw new QuarterdeckError('config.invalid', problems.map((problem) => formatProblem(problem, cwd)).join('\n'))
  }
  const servers = loaded.agent.tools.filter((tool) => tool.type === 'mcp')
  if (flags.json === true) print(terminal, jsonText({ servers }))
  else if (servers.length === 0)
    print(terminal, `${loaded.agent.name} has no MCP servers. Add one: ${commandLine(terminal)} mcp add`)
  else
    for (const line of formatTable(servers.map(({ name, transport }) => [name, transport.type, targetOf(transport)])))
      print(terminal, visibleText(line))
  return 0
}

function entryOf({ name, command: words, flags }: McpAddInput): McpEntry {
  const { url, transport, env = [], description } = flags
  const [command, ...args] = words
  if ((command === undefined) === (url === undefined)) {
    throw misuse('give either the command after --, or --url with the address')
  }
  if (command !== undefined && /^https?:\/\//i.test(command)) {
    throw misuse('the command is an address, not a program: did you mean --url?')
  }
  if (transport !== undefined && url === undefined) {
    throw misuse('--transport needs --url; a command uses stdin and stdout')
  }
  const withValue = env.find((variable) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
  if (withValue !== undefined) {
    const variable = withValue.split('=')[0] ?? ''
    const hint = 'the file stores only names; the value comes from the shell or from .env'
    throw misuse(`--env takes the name of a variable, not "${variable}": ${hint}`)
  }
  if (env.length > 0 && url !== undefined) {
    throw misuse('--env needs a command: a remote server has its own environment')
  }
  return {
    name,
    ...(description === undefined ? {} : { description }),
    ...(command === undefined ? {} : { command, args }),
    ...(url === undefined ? {} : { url, transport: transport ?? 'http' }),
    env,
  }
}

function targetOf(transport: McpTool['transport']): string {
  if ('url' in transport) return transport.url
  const sees = transport.env.length === 0 ? '' : `  (sees ${transport.env.join(', ')})`
  if (transport.type === 'in_process') return `${transport.file} ${transport.functionName}${sees}`
  return `${[transport.command, ...transport.args].join(' ')}${sees}`
}
