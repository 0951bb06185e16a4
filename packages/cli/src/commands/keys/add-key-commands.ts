import { BudgetPeriod, Scope } from '@quarterdeck/protocol'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'

/** @param reading gives a command the options of all that only read a data folder. */
export function addKeyCommands(program: Command, { terminal, finish, reading }: KeyCommandDeps): void {
  const keys = program.command('keys').description('who may talk to the server, by name, and what they may do')
  reading(keys.command('create'))
    .description('make a key for a person or a program; the log will name them')
    .argument('<name>', 'what the log calls them')
    .addOption(new Option('--scope <scope>', 'what it may do (operator unless said)').choices(Scope.options))
    .option('--owner <name>', 'whose sessions it works with (its own unless said); keys of one owner share them')
    .option('--expires <when>', 'when it ends: 30d, 12h, 2027-01-01 or never (never unless said)')
    .option('--rate <n>', 'requests a minute, beside the limits of the server', requestsPerMinute)
    .option('--budget <usd>', 'what sessions started with it may spend', dollars)
    .addOption(
      new Option('--period <period>', 'how long the budget is for (total unless said)').choices(BudgetPeriod.options),
    )
    .action(async (name: string, flags) => finish(await createKey(terminal, { name, flags })))
  reading(keys.command('list').alias('ls'))
    .description('the keys there are, revoked and expired ones too')
    .action(async (flags) => finish(await listKeys(terminal, flags)))
  reading(keys.command('revoke'))
    .description('take a key back: its next request is refused and its open streams end')
    .argument('<name>', 'whose')
    .action(async (name: string, flags) => finish(await revokeKey(terminal, { name, flags })))
}

interface KeyCommandDeps {
  readonly terminal: Terminal
  readonly finish: (code: number) => void
  readonly reading: (command: Command) => Command
}

function requestsPerMinute(text: string): number {
  const rate = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (rate >= 1 && rate <= 60_000) return rate
  throw new InvalidArgumentError('must be a whole number from 1 to 60000')
}

function dollars(text: string): number {
  const limit = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (limit > 0) return limit
  throw new InvalidArgumentError('must be an amount in dollars, as 5 or 2.50')
}
