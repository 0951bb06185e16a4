// `quarterdeck costs`: usage and costs from the ledger of a data folder.
import { openLog } from '@quarterdeck/engine'
import { formatCount, formatSpent, formatUsd, UsageQuery, type UsageRow, visibleText } from '@quarterdeck/protocol'
import { type AddCommand, withDataOptions } from '../../flags/command-options.ts'
import { dataFolder, type JsonFlags } from '../../flags/runtime-options.ts'
import { formatTable } from '../../render/format-table.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, type Terminal } from '../../terminal/terminal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'

export interface CostsFlags extends JsonFlags {
  readonly by?: string
  readonly from?: string
  readonly to?: string
  readonly agent?: string
  readonly user?: string
}

export const addCostsCommand: AddCommand = (program, terminal, finish) => {
  withDataOptions(program.command('costs'))
    .description('show usage and costs')
    .option('--by <groups>', 'group by day, model, agent, user, key, session, or several separated by commas', 'day')
    .option('--from <time>', 'start: a day (2026-01-31) or a time, in UTC')
    .option('--to <time>', 'end, exclusive: a day or a time, in UTC')
    .option('--agent <name>', 'only this agent')
    .option('--user <name>', 'only this user')
    .action(async (flags) => finish(await costs(terminal, flags)))
}

export async function costs(terminal: Terminal, flags: CostsFlags): Promise<number> {
  const { by, from, to, agent, user } = flags
  const filters = { by, from: timeOf(from), to: timeOf(to), agent, user }
  const query = UsageQuery.safeParse(
    Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
  )
  if (!query.success) {
    const [issue] = query.error.issues
    const flag = String(issue?.path[0] ?? 'by')
    const problem = flag === 'from' || flag === 'to' ? timeRule : (issue?.message ?? 'not valid')
    throw misuse(`--${flag}: ${problem}`)
  }
  return useAndClose(openLog(dataFolder(terminal, flags)), async (log) => {
    const report = await log.usage(query.data)
    if (flags.json === true) print(terminal, jsonText(report))
    else if (report.rows.length === 0) print(terminal, noCosts(flags))
    else {
      const lines = table([...report.rows, { ...report.total, isTotal: true }], query.data.by.split(','))
      for (const line of [...lines, ...simulatedNote(report.total)]) print(terminal, line)
    }
    return 0
  })
}

const timeRule = 'must be a day (2026-01-31) or a time in UTC (2026-01-31T08:00:00Z)'

/** A day means its first moment in UTC. */
const timeOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text

/** Names the filters: without them there may be costs. */
function noCosts({ from, to, agent, user }: CostsFlags): string {
  const filters = Object.entries({ from, to, agent, user }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  )
  return filters.length === 0 ? 'no costs yet' : visibleText(`no costs for ${filters.join(' ')}`)
}

/** Simulated amounts look like a bill, so they are marked. */
function simulatedNote({ requests, simulatedRequests, simulatedUsd }: UsageRow): readonly string[] {
  if (simulatedRequests === 0) return []
  const which =
    simulatedRequests === requests
      ? 'all of it comes from the local simulator'
      : `${formatUsd(simulatedUsd)} of it (${simulatedRequests} of ${requests} requests) comes from the local simulator`
  return [`${which}: it was not charged and shows what the same tokens would cost`]
}

/** Negative for models that cost more than `high`. */
function savedText(usd: number): string {
  if (Math.abs(usd) < 0.000001) return ''
  return usd < 0 ? `-${formatUsd(-usd)}` : formatUsd(usd)
}

function table(rows: readonly (UsageRow & { readonly isTotal?: boolean })[], by: readonly string[]): readonly string[] {
  const cells = rows.map((row) => [
    ...by.map((group, column) => (row.isTotal !== true ? nameOf(row, group) : column === 0 ? 'total' : '')),
    String(row.requests),
    formatCount(row.tokens.input),
    formatCount(row.tokens.cacheRead),
    formatCount(row.tokens.cacheWrite),
    formatCount(row.tokens.output),
    formatCount(row.units),
    formatSpent(row),
    savedText(row.savedUsd),
  ])
  const head = [...by, 'requests', 'in', 'cache read', 'cache write', 'out', 'units', 'cost', 'saved']
  return formatTable([head, ...cells], (column) => column >= by.length)
}

function nameOf({ day, model, agent, user, key, session }: UsageRow, group: string): string {
  const names = new Map(Object.entries({ day, model, agent, user, key, session }))
  return visibleText(names.get(group) ?? '')
}
