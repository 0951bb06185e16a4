import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Terminal } from './terminal.ts'

/**
 * How the user runs the command. npx finds it only from the current folder, so printed commands stay in this folder.
 */
export function commandLine({ env }: Terminal): string {
  // Without the dashes npx would consume a `--help`.
  if (env.npm_command === 'exec') return 'npx --no -- quarterdeck'
  const isOnPath = (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'quarterdeck')))
  return isOnPath ? 'quarterdeck' : `node ${shellWord(fileURLToPath(program))}`
}

const program = new URL('../../bin/quarterdeck.mjs', import.meta.url)

/** Quoted for a POSIX shell if necessary, so that printed commands can be pasted. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
