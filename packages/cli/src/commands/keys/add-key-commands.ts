import { BudgetPeriod, Scope } from '@quarterdeck/protocol'
import { InvalidArgumentError, Option } from 'commander'
import { type AddCommand, wholeNumber, withDataOptions } from '../../flags/command-options.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'

export const addKeyCommands: AddCommand = (program, terminal, finish) => {
  const keys = program.command('keys').description('create, list and revoke API keys')
  withDataOptions(keys.command('create'))
    .description('create a key for a person or a program')
    .argument('<name>', 'name of the key, as it appears in the log')
    .addOption(new Option('--scope <scope>', 'what the key may do (default: operator)').choices(Scope.options))
    .option('--owner <name>', 'whose sessions it works with (default: its own name); keys of one owner share sessions')
    .option('--expires <when>', 'expiry: 30d, 12h, 2027-01-01 or never (default: never)')
    .option('--rate <n>', 'requests per minute, in addition to the limits of the server', wholeNumber(1, 60_000))
    .option('--budget <usd>', 'budget in dollars for sessions started with this key', dollars)
    .addOption(new Option('--period <period>', 'period of the budget (default: total)').choices(BudgetPeriod.options))
    .action(async (name: string, flags) => finish(await createKey(terminal, { name, flags })))
  withDataOptions(keys.command('list').alias('ls'))
    .description('list all keys, including revoked and expired ones')
    .action(async (flags) => finish(await listKeys(terminal, flags)))
  withDataOptions(keys.command('revoke'))
    .description('revoke a key: its next request is refused and its open streams end')
    .argument('<name>', 'name of the key')
    .action(async (name: string, flags) => finish(await revokeKey(terminal, { name, flags })))
}

function dollars(text: string): number {
  const limit = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0
  if (limit > 0) return limit
  throw new InvalidArgumentError('must be an amount in dollars, such as 5 or 2.50')
}
