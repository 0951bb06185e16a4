import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Terminal } from './terminal.ts'

/** How this person calls the command. npx finds it only from where it was called, so what follows stays in this folder. */
export function commandLine({ env }: Terminal): string {
  // Without the dashes npx would take a `--help` for itself.
  if (env.npm_command === 'exec') return 'npx --no -- quarterdeck'
  const isOnPath = (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'quarterdeck')))
  return isOnPath ? 'quarterdeck' : `node ${fileURLToPath(new URL('../../bin/quarterdeck.mjs', import.meta.url))}`
}
