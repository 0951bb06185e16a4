// `quarterdeck keys create | list | revoke`: a token with a scope for a person or a program, named in the log.
import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { openKeyRing } from '@quarterdeck/engine'
import {
  type BudgetPeriod,
  formatUnits,
  formatUsd,
  type KeySummary,
  QuarterdeckError,
  type Scope,
  visibleText,
} from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../../flags/runtime-options.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { keyExpiry } from './key-expiry.ts'

export interface KeysFlags extends SharedFlags {
  readonly json?: boolean
}

export interface CreateKeyFlags extends KeysFlags {
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
function openRing(terminal: Terminal, flags: KeysFlags): ReturnType<typeof openKeyRing> {
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
  const ring = await openRing(terminal, input.flags)
  try {
    const { token, ...key } = await ring.createKey(terms, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ ...key, token }))
    else {
      print(terminal, token)
      remark(terminal, `key of ${describe(key)}`)
      remark(terminal, 'The token is not stored: keep it now. Send it as a bearer token.')
    }
    if (key.scope === 'viewer' && key.owner === key.name) remark(terminal, noSessionsWarning)
    return 0
  } finally {
    await ring.close()
  }
}

/** A viewer cannot start sessions and does not see those of other owners. */
const noSessionsWarning =
  'warning: this key sees only sessions started by keys with its own name. Use --owner NAME to see those of another owner; "operator" owns the sessions of the token and the browser.'

function termsOf(name: string, { scope, owner, expires, rate, budget, period }: CreateKeyFlags) {
  if (budget === undefined && period !== undefined) {
    throw new QuarterdeckError('request.invalid', '--period needs --budget USD')
  }
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
export async function listKeys(terminal: Terminal, flags: KeysFlags): Promise<number> {
  const ring = await openRing(terminal, flags)
  try {
    const { keys } = await ring.listKeys()
    if (flags.json === true) print(terminal, jsonText(keys))
    else if (keys.length === 0) remark(terminal, 'no keys yet: create one with "quarterdeck keys create NAME"')
    else for (const key of keys) print(terminal, describe(key))
    return 0
  } finally {
    await ring.close()
  }
}

/** `ci  agent of ana, since …, until …, 30 requests a minute, $5.00 a day`. */
function describe({ name, scope, owner, ...key }: KeySummary): string {
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()
  const facts = [
    owner === name ? scope : `${scope} of ${visibleText(owner)}`,
    `since ${key.createdAt}`,
    ...(key.expiresAt === null ? [] : [`${isOver ? 'expired' : 'until'} ${key.expiresAt}`]),
    ...(key.requestsPerMinute === null ? [] : [`${key.requestsPerMinute} requests a minute`]),
    ...key.budgets.map(
      ({ limit, unit, period }) => `${unit === 'usd' ? formatUsd(limit) : formatUnits(limit)} ${periodLabels[period]}`,
    ),
    ...(key.revokedAt === null ? [] : [`revoked ${key.revokedAt}`]),
  ]
  return `${visibleText(name)}  ${facts.join(', ')}`
}

const periodLabels: Readonly<Record<BudgetPeriod, string>> = { day: 'a day', month: 'a month', total: 'altogether' }

/** The next request with its token is refused, even by a running server. */
export async function revokeKey(terminal: Terminal, input: { name: string; flags: KeysFlags }): Promise<number> {
  const ring = await openRing(terminal, input.flags)
  try {
    await ring.revokeKey(input.name, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ name: input.name, revoked: true }))
    else print(terminal, `revoked ${visibleText(input.name)}`)
    return 0
  } finally {
    await ring.close()
  }
}
