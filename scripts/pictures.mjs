// `npm run pictures`: takes every picture of the documentation and its accessibility snapshot again.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from '../packages/cli/bin/ensure-built.mjs'
import { installTools } from './install-tools.mjs'
import { runCommand } from './run-command.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

if (spawnSync('tmux', ['-V']).status !== 0) {
  console.error('tmux is required to take chat.png. Install it: apt-get install tmux')
  process.exit(1)
}
const { ok, output } = await installTools(root)
if (!ok) {
  console.error(output)
  process.exit(1)
}
if (!(await ensureBuilt(root, (line) => console.log(line)))) process.exit(1)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const taken = await runCommand(
  process.execPath,
  [vitest, 'run', '--config', 'e2e/vitest.config.ts', 'e2e/pictures/screens.test.ts'],
  { cwd: root, env: { ...process.env, PICTURES: '1' } },
)
console.log(taken.output)
if (taken.code === 0) console.log('Look at the changed files in docs/pictures, then commit them.')
process.exitCode = taken.code
