// `quarterdeck audit verify | export`: proof of what happened, from the data folder itself.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { openLog } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../house-options.ts'
import { jsonText, print, remark, type Terminal } from '../terminal.ts'

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
  const file = flags.out === undefined ? null : createWriteStream(resolve(terminal.cwd, flags.out), { mode: 0o600 })
  const target = file ?? terminal.stdout
  try {
    let written = 0
    for (let after = 0; ; ) {
      const entries = await log.audit(after, pageSize)
      for (const entry of entries) {
        if (!target.write(`${JSON.stringify(entry)}\n`)) await once(target, 'drain')
      }
      written += entries.length
      const last = entries.at(-1)
      if (last === undefined || entries.length < pageSize) break
      after = last.seq
    }
    if (file !== null) {
      file.end()
      await once(file, 'close')
      remark(terminal, `${written} entries written to ${flags.out}`)
    }
    return 0
  } finally {
    await log.close()
  }
}
