// `quarterdeck keys create NAME`: a token of its own for a person or a program, so that the log can name them.

import { userInfo } from 'node:os'
import { openKeyRing } from '@quarterdeck/engine'
import { visibleText } from '@quarterdeck/protocol'
import { dataFolder, type SharedFlags } from '../house-options.ts'
import { jsonText, print, remark, type Terminal } from '../terminal.ts'

export interface KeysFlags extends SharedFlags {
  readonly json?: boolean
}

/** The token is shown this once: only its hash is kept. */
export async function createKey(terminal: Terminal, input: { name: string; flags: KeysFlags }): Promise<number> {
  const ring = await openKeyRing(dataFolder(terminal, input.flags))
  try {
    const token = await ring.create(input.name, userInfo().username)
    if (input.flags.json === true) print(terminal, jsonText({ name: input.name, token }))
    else {
      print(terminal, token)
      remark(
        terminal,
        `the key of ${visibleText(input.name)}: kept nowhere, so keep it now. Send it as a bearer token.`,
      )
    }
    return 0
  } finally {
    await ring.close()
  }
}
