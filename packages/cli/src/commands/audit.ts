// `quarterdeck audit verify | export`: proof of what happened, from the data folder itself.

import { once } from 'node:events'
import { openLog } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../house-options.ts'
import { jsonText, print, remark, type Terminal } from '../terminal.ts'
import { writeOut } from '../write-out.ts'

export interface AuditFlags extends SharedFlags {
  readonly json?: boolean
  readonly out?: string
}

/** Exit 0 when every link holds, 1 when one is broken. */
export async function verifyAudit(terminal: Terminal, flags: AuditFlags): Promise<number> {
  const log = await openLog(dataFolder(terminal, flags))
  try {
    const verdict = await log.verifyAudit()
    if (flags.json === true) print(terminal, jsonText(verdict))
    else if (verdict.ok) print(terminal, `the chain holds: ${verdict.entries} entries`)
    else print(terminal, `broken at entry ${verdict.seq} (${verdict.problem}): ${visibleText(verdict.detail)}`)
    return verdict.ok ? 0 : 1
  } finally {
    await log.close()
  }
}

const pageSize = 1000

/** One entry a line, in the order of the chain. */
export async function exportAudit(terminal: Terminal, flags: AuditFlags): Promise<number> {
  const log = await openLog(dataFolder(terminal, flags))
  let written = 0
  async function* lines() {
    for (let after = 0; ; ) {
      const entries = await log.audit(after, pageSize)
      for (const entry of entries) {
        yield `${JSON.stringify(entry)}\n`
        written += 1
      }
      const last = entries.at(-1)
      if (last === undefined || entries.length < pageSize) return
      after = last.seq
    }
  }
  try {
    if (flags.out === undefined) {
      for await (const line of lines()) if (!terminal.stdout.write(line)) await once(terminal.stdout, 'drain')
      return 0
    }
    await writeOut(terminal, flags.out, lines())
    remark(terminal, `${written} entries written to ${flags.out}`)
    return 0
  } finally {
    await log.close()
  }
}
