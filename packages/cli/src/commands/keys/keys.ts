// `quarterdeck keys create | list | revoke`: a token with a scope for a person or a program, named in the log.
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { openKeyRing } from '@quarterdeck/engine'
import {
  BudgetPeriod,
  formatUnits,
  formatUsd,
  type KeySummary,
  QuarterdeckError,
  Scope,
  visibleText,
} from '@quarterdeck/protocol'
import { InvalidArgumentError, Option } from 'commander'
import { type AddCommand, wholeNumber, withDataOptions } from '../../flags/command-options.ts'
import { dataFolder, type JsonFlags } from '../../flags/runtime-options.ts'
import { formatTable } from '../../render/format-table.ts'
import { utcMinute } from '../../render/utc-minute.ts'
import { commandLine } from '../../terminal/command-line.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'

export const addKeyCommands: AddCommand = (program, terminal, finish) => {
  const keys = program.command('keys').description('create, list and revoke API keys')
  withDataOptions(keys.command('create'))
    .description('create a key for a person or a program')
    .argument('<name>', 'name of the key, as it appears in the log')
    .addOption(new Option('--scope <scope>', 'permissions of the key (default: operator)').choices(Scope.options))
    .option('--owner <name>', 'owner of its sessions (default: its own name); keys of one owner share sessions')
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

export interface CreateKeyFlags extends JsonFlags {
  readonly scope?: Scope
  readonly owner?: string
  readonly expires?: string
  /** Requests per minute. */
  readonly rate?: number
  /** In dollars. */
  readonly budget?: number
  readonly period?: BudgetPeriod
}

/** A mistyped folder must not become a new data folder with a useless key. */
function openRing(terminal: Terminal, flags: JsonFlags): ReturnType<typeof openKeyRing> {
  const dataDir = dataFolder(terminal, flags)
  if (existsSync(dataDir)) return openKeyRing(dataDir)
  throw new QuarterdeckError(
    'config.unreadable',
    `${dataDir} is not a data folder: use --data FOLDER, or start a server first`,
  )
}

/** Prints the token once: only its hash is stored. */
export async function createKey(terminal: Terminal, input: { name: string; flags: CreateKeyFlags }): Promise<number> {
  const terms = termsOf(input.name, input.flags)
  return useAndClose(openRing(terminal, input.flags), async (ring) => {
    const { token, ...key } = await ring.createKey(terms, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ ...key, token }))
    else {
      print(terminal, token)
      remark(terminal, described(key))
      remark(terminal, 'The token is not stored: keep it now. Send it as a bearer token.')
    }
    if (key.scope === 'viewer' && key.owner === key.name) remark(terminal, onlyOwnWarning(key.owner))
    return 0
  })
}

/** There may be no sessions of this owner, as viewers cannot start any. */
const onlyOwnWarning = (owner: string): string =>
  `warning: this key can only read, and it sees only the sessions of "${visibleText(owner)}". Use --owner NAME to name the owner of existing sessions; "operator" owns those started with the token or in the browser.`

function termsOf(name: string, { scope, owner, expires, rate, budget, period }: CreateKeyFlags) {
  if (budget === undefined && period !== undefined) throw misuse('--period needs --budget USD')
  return {
    name,
    ...(scope === undefined ? {} : { scope }),
    ...(owner === undefined ? {} : { owner }),
    ...(expires === undefined ? {} : { expiresAt: keyExpiry(expires, new Date()) }),
    ...(rate === undefined ? {} : { requestsPerMinute: rate }),
    ...(budget === undefined ? {} : { budget: { limitUsd: budget, ...(period === undefined ? {} : { period }) } }),
  }
}

/** Lists names, scopes and times, never tokens. */
export async function listKeys(terminal: Terminal, flags: JsonFlags): Promise<number> {
  return useAndClose(openRing(terminal, flags), async (ring) => {
    const { keys } = await ring.listKeys()
    if (flags.json === true) print(terminal, jsonText(keys))
    else if (keys.length === 0)
      remark(terminal, `no keys yet: create one with "${commandLine(terminal)} keys create NAME"`)
    else for (const line of table(keys)) print(terminal, line)
    return 0
  })
}

/** `key ci: scope agent, owner ana, expires 2027-01-01 00:00Z, 30 requests a minute, $5.00 a day`. */
function described(key: KeySummary): string {
  const expiry = key.expiresAt === null ? [] : [`expires ${utcMinute(key.expiresAt)}`]
  const facts = [`scope ${key.scope}`, `owner ${visibleText(key.owner)}`, ...expiry, ...limitsOf(key)]
  return `key ${visibleText(key.name)}: ${facts.join(', ')}`
}

function table(keys: readonly KeySummary[]): readonly string[] {
  const head = ['name', 'scope', 'owner', 'created', 'expires', 'revoked', 'limits']
  const cells = keys.map((key) => [
    visibleText(key.name),
    key.scope,
    visibleText(key.owner),
    utcMinute(key.createdAt),
    expiryOf(key),
    key.revokedAt === null ? '' : utcMinute(key.revokedAt),
    limitsOf(key).join(', '),
  ])
  return formatTable([head, ...cells])
}

function expiryOf({ expiresAt }: KeySummary): string {
  if (expiresAt === null) return 'never'
  return Date.parse(expiresAt) <= Date.now() ? `${utcMinute(expiresAt)} (expired)` : utcMinute(expiresAt)
}

const limitsOf = ({ requestsPerMinute, budgets }: KeySummary): readonly string[] => [
  ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} requests a minute`]),
  ...budgets.map(
    ({ limit, unit, period }) => `${unit === 'usd' ? formatUsd(limit) : formatUnits(limit)} ${periodLabels[period]}`,
  ),
]

const periodLabels: Readonly<Record<BudgetPeriod, string>> = { day: 'a day', month: 'a month', total: 'altogether' }

/** The next request with its token is refused, even by a running server. */
export async function revokeKey(terminal: Terminal, input: { name: string; flags: JsonFlags }): Promise<number> {
  return useAndClose(openRing(terminal, input.flags), async (ring) => {
    await ring.revokeKey(input.name, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ name: input.name, revoked: true }))
    else print(terminal, `revoked ${visibleText(input.name)}`)
    return 0
  })
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const

/** Parses `30d`, `12h`, a day in UTC or a full time into the moment when the key expires; `never` is `null`. */
export function keyExpiry(text: string, now: Date): string | null {
  if (text === 'never') return null
  const [, amount, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  const ms =
    amount === undefined
      ? timeOf(text)
      : now.getTime() + Number(amount) * unitMs[unit as keyof typeof unitMs] /* the expression matches no other unit */
  if (Number.isNaN(ms)) {
    const forms = 'a time from now (30d, 12h), a day (2027-01-01), a time (2027-01-01T12:00:00Z) or "never"'
    throw misuse(`--expires ${JSON.stringify(text)} is not a time: use ${forms}`)
  }
  if (ms > now.getTime()) return new Date(ms).toISOString()
  throw misuse(`--expires ${text} is in the past: choose a later time`)
}

/** Refuses days that do not exist: the parser may turn them into the next day. */
function timeOf(text: string): number {
  const day = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text)?.[1]
  const start = day === undefined ? Number.NaN : Date.parse(day)
  const isDay = day !== undefined && !Number.isNaN(start) && new Date(start).toISOString().startsWith(day)
  return isDay ? Date.parse(text) : Number.NaN
}
