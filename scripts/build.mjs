// `npm run build`: builds the files that the command would build on first use.
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from '../packages/cli/bin/ensure-built.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
process.exitCode = (await ensureBuilt(root, console.log)) ? 0 : 1
