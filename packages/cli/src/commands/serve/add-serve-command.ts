import { nearestName } from '@quarterdeck/engine'
import { defaultCompatPorts, type WireName, wireNames } from '@quarterdeck/server'
import { InvalidArgumentError, Option } from 'commander'
import { type AddCommand, wholeNumber, withRuntimeOptions } from '../../flags/command-options.ts'
import { defaultPort, portOf, portRule } from '../../flags/port.ts'
import type { CompatFlag } from './compat-listeners.ts'
import { serve } from './serve.ts'

const defaultPorts = wireNames.map((name) => `${name}:${defaultCompatPorts[name]}`).join(', ')

export const addServeCommand: AddCommand = (program, terminal, finish) => {
  withRuntimeOptions(program.command('serve'))
    .description('serve every agent.yaml under PATH: workbench and API')
    .argument('[paths...]', 'folders or agent files (default: this folder)')
    .addOption(
      new Option('--port <n>', 'port to listen on; if it is taken, the next free port')
        .env('QUARTERDECK_PORT')
        .default(defaultPort)
        .argParser(port),
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--public-url <url>', 'public address of this server behind a proxy')
    .option('--origin <url...>', 'additional origins whose pages may use the API and the compatibility listeners')
    .option(
      '--compat <wire[:port]>',
      `open a compatibility listener: one foreign protocol on a loopback port, without a token. Repeat for several. Default ports: ${defaultPorts}`,
      addCompatFlag,
    )
    .option('--agent <name>', 'agent of the compatibility listeners; required if several agents are served')
    .option('--grace-seconds <n>', 'time running turns get to finish when the server stops', wholeNumber(), 20)
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
    .option('--watch', 'reload functions of agent files when their modules change')
    .option('--no-open', 'do not open a browser')
    .action(async (paths: string[], flags) => finish(await serve(terminal, { paths, flags })))
}

function port(text: string): number {
  const value = portOf(text)
  if (value === null) throw new InvalidArgumentError(portRule)
  return value
}

/** Parses one `--compat WIRE[:PORT]` and appends it to the previous ones. */
function addCompatFlag(text: string, previous: readonly CompatFlag[] = []): readonly CompatFlag[] {
  const [name = '', ...rest] = text.split(':')
  if (!isWireName(name)) {
    const near = nearestName(name, wireNames)
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    throw new InvalidArgumentError(`there is no wire "${name}": use one of ${wireNames.join(', ')}.${hint}`)
  }
  if (rest.length === 0) return [...previous, { wire: name }]
  const number = portOf(rest.join(':'))
  if (number === null) throw new InvalidArgumentError(`the port after "${name}:" ${portRule}`)
  return [...previous, { wire: name, port: number }]
}

const isWireName = (name: string): name is WireName => wireNames.some((known) => known === name)

function copyTarget(text: string): string {
  if (/^https?:\/\//i.test(text) ? URL.canParse(text) : text !== '' && !text.includes('://')) return text
  throw new InvalidArgumentError('must be a file, or an address that starts with http:// or https://')
}
