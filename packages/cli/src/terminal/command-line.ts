import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Terminal } from './terminal.ts'

/**
 * How the user runs the command. npx finds it only from the current folder, so printed commands stay in this folder.
 */
export function commandLine({ env }: Pick<Terminal, 'env'>): string {
  // Without the dashes npx would consume a `--help`.
  if (env.npm_command === 'exec') return 'npx --no -- quarterdeck'
  const folder = (env.PATH ?? '').split(delimiter).find((one) => existsSync(join(one, 'quarterdeck')))
  if (folder === undefined) return `node ${shellWord(fileURLToPath(program))}`
  // `npm start` adds this folder for its own run only.
  return folder.endsWith(join('node_modules', '.bin')) ? 'npx --no -- quarterdeck' : 'quarterdeck'
}

/** A command for the same data folder, so that it can be pasted. */
export const commandFor = (
  terminal: Pick<Terminal, 'env'>,
  command: string,
  { data }: { readonly data?: string },
): string => `${commandLine(terminal)} ${command}${data === undefined ? '' : ` --data ${shellWord(data)}`}`

const program = new URL('../../bin/quarterdeck.mjs', import.meta.url)

/** Quoted for a POSIX shell if necessary, so that printed commands can be pasted. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
