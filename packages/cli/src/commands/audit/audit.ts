// `quarterdeck audit verify | export`: reads the audit chain directly from the data folder.
import { resolve } from 'node:path'
import { openLog } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { type AddCommand, withDataOptions } from '../../flags/command-options.ts'
import { dataFolder, type JsonFlags } from '../../flags/runtime-options.ts'
import { misuse } from '../../terminal/misuse.ts'
import { jsonText, print, remark, type Terminal } from '../../terminal/terminal.ts'
import { useAndClose } from '../../terminal/use-and-close.ts'
import { writeLines } from '../../terminal/write-lines.ts'
import { writeOut } from '../../terminal/write-out.ts'

export interface AuditFlags extends JsonFlags {
  /** `HASH:COUNT`, printed by an earlier verification. */
  readonly head?: string
  /** A file written by "serve --audit-copy". */
  readonly copy?: string
  readonly out?: string
}

export const addAuditCommands: AddCommand = (program, terminal, finish) => {
  const audit = program.command('audit').description('verify and export the audit chain')
  withDataOptions(audit.command('verify'))
    .description(
      'check every link of the chain, and every event, ledger entry, key and session owner it covers (exit 1 if one is broken)',
    )
    .option('--head <hash:count>', 'also check that the chain still contains this earlier head')
    .option('--copy <file>', 'also check that the chain contains every head in this copy ("serve --audit-copy")')
    .action(async (flags) => finish(await verifyAudit(terminal, flags)))
  audit
    .command('export')
    .description('print the whole chain, one JSON entry per line')
    .option('--out <file>', 'write to this file instead of standard output')
    .option('--data <folder>', 'data folder (default: ./.quarterdeck)')
    .action(async (flags) => finish(await exportAudit(terminal, flags)))
}

/** Exits with 0 if every link is intact, and with 1 if one is broken or the chain does not contain `--head`. */
export async function verifyAudit(terminal: Terminal, flags: AuditFlags): Promise<number> {
  const noted = flags.head === undefined ? null : notedHead(flags.head)
  return useAndClose(openLog(dataFolder(terminal, flags)), async (log) => {
    const copy = flags.copy === undefined ? null : resolve(terminal.cwd, flags.copy)
    const behindCopy = copy === null ? null : await log.compareWithCopy(copy)
    const verdict = behindCopy ?? (await verdictOf(log, noted))
    if (flags.json === true) print(terminal, jsonText(verdict))
    else if (verdict.ok) {
      print(terminal, `the chain is intact: ${verdict.entries} entries`)
      print(terminal, `head ${verdict.hash}:${verdict.entries}`)
      if (copy !== null) print(terminal, `it contains every head in ${visibleText(copy)}`)
      if (noted === null && copy === null)
        remark(
          terminal,
          'keep this head somewhere else: "audit verify --head" can check later that the chain still contains it',
        )
      if (noted !== null) print(terminal, `it contains the given head: entry ${noted.entries}`)
    } else print(terminal, `broken at entry ${verdict.seq} (${verdict.problem}): ${visibleText(verdict.detail)}`)
    return verdict.ok ? 0 : 1
  })
}

interface Head {
  readonly entries: number
  readonly hash: string
}

function notedHead(text: string): Head {
  const [, hash, entries] = /^([0-9a-f]{64}):(\d{1,15})$/.exec(text) ?? []
  if (hash !== undefined && entries !== undefined) return { hash, entries: Number(entries) }
  throw misuse('--head must be HASH:COUNT, as printed by "audit verify"')
}

/** An attacker who rewrites the whole chain can keep it consistent, but cannot reproduce an earlier head. */
async function verdictOf(
  log: Pick<Awaited<ReturnType<typeof openLog>>, 'readAudit' | 'verifyAudit'>,
  noted: Head | null,
) {
  const verdict = await log.verifyAudit()
  if (!verdict.ok || noted === null) return verdict
  const { entries: seq, hash } = noted
  const entry =
    seq === 0
      ? { hash: '0'.repeat(64) }
      : (await log.readAudit({ after: seq - 1, limit: 1 })).entries.find((one) => one.seq === seq)
  if (entry?.hash === hash) return verdict
  const detail = entry === undefined ? 'the chain is shorter than it was' : 'the chain was rewritten since'
  return { ok: false, seq, problem: 'head-altered', detail: `${detail}: entry ${seq} had the hash ${hash}` } as const
}

const pageSize = 1000

export async function exportAudit(terminal: Terminal, flags: AuditFlags): Promise<number> {
  return useAndClose(openLog(dataFolder(terminal, flags)), async (log) => {
    let written = 0
    async function* lines() {
      for (let after = 0; ; ) {
        const { entries } = await log.readAudit({ after, limit: pageSize })
        for (const entry of entries) {
          yield `${JSON.stringify(entry)}\n`
          written += 1
        }
        const last = entries.at(-1)
        if (last === undefined || entries.length < pageSize) return
        after = last.seq
      }
    }
    if (flags.out === undefined) await writeLines(terminal, lines())
    else {
      await writeOut(terminal, flags.out, lines())
      remark(terminal, `${written} entries written to ${flags.out}`)
    }
    return 0
  })
}
