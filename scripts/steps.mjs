// The steps of the check. `npm run check` runs part of them before a commit; `npm test` and CI run `everything`.
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuilt } from '../packages/cli/bin/ensure-built.mjs'
import { checkArchitecture } from './check-architecture.mjs'
import { checkLinks } from './check-links.mjs'
import { checkWords } from './check-words.mjs'
import { installTools } from './install-tools.mjs'
import { runCommand } from './run-command.mjs'
import { runVitest } from './run-vitest.mjs'

/** @typedef {import('./run-steps.mjs').Step} Step */

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
/** Each further checker resolves the shared types again, and other steps use the other cores. */
const oneChecker = ['--checkers', '1']

/** @type {readonly Step[]} */
export const check = [
  { key: 'tools', group: 'prepare', title: 'checkers installed in tools/', run: tools },
  {
    key: 'types',
    group: 'prepare',
    title: 'types of the packages (tsc -b)',
    run: () => node([tsc, '-b', ...oneChecker]),
  },
  ...inGroup('static', [
    { key: 'lint', title: 'format and lint (Biome)', run: () => tool('biome', ['check', '--error-on-warnings', '.']) },
    { key: 'promises', title: 'floating promises (oxlint)', run: floatingPromises },
    {
      key: 'types',
      title: 'types of tests and scripts',
      run: () => node([tsc, '-p', 'tsconfig.test.json', ...oneChecker]),
    },
    {
      key: 'docs',
      title: 'generated reference is current',
      // Uses the build of the types step.
      run: () => node(['scripts/agent-reference.mjs', '--check']),
    },
    { key: 'docs', title: 'links and pictures of the pages', run: () => checkLinks(root) },
    { key: 'words', title: 'names, words, sizes of files and folders', run: () => checkWords(root) },
    { key: 'architecture', title: 'import rules (dependency-cruiser)', run: () => checkArchitecture(root) },
    {
      key: 'dead-code',
      title: 'dead code (knip)',
      run: () => tool('knip', ['--no-progress', '--treat-config-hints-as-errors']),
    },
    // Many of these tests wait, so the static checks cost little time beside them.
    { key: 'unit', title: 'unit tests and contract suites', run: unit },
  ]),
]

/** @type {readonly Step[]} */
export const everything = [
  ...check,
  ...inGroup('static', [
    { key: 'build', title: 'build of packages and workbench', run: build },
    { key: 'real', title: 'the real Claude CLI', run: () => runVitest(root, ['--project', 'real']) },
  ]),
  // Alone: beside the unit tests the run as a whole was not faster.
  {
    key: 'e2e',
    title: 'examples and browser (e2e/)',
    run: () => runVitest(root, ['--config', 'e2e/vitest.config.ts']),
  },
]

/**
 * @param {string} group
 * @param {readonly Step[]} steps
 * @returns {readonly Step[]}
 */
function inGroup(group, steps) {
  return steps.map((step) => ({ ...step, group }))
}

async function tools() {
  const { ok, note, output } = await installTools(root)
  return { ...verdict(ok), note, output }
}

/** The rule of Biome misses calls into other packages; this one uses the types of all packages. */
async function floatingPromises() {
  const bin = join(root, 'tools', 'node_modules', '.bin')
  // oxlint searches for its type-aware part on the PATH if it is not installed in the root.
  const env = { ...process.env, NO_COLOR: '1', PATH: `${bin}${delimiter}${process.env.PATH}` }
  const args = ['--type-aware', '--deny-warnings', 'packages', 'scripts', 'e2e']
  const { code, output } = await runCommand(join(bin, 'oxlint'), args, { cwd: root, env })
  return { ...verdict(code === 0), output }
}

/** More workers than in the configuration: the static checks end early, and many of these tests wait. */
function unit() {
  return runVitest(root, ['--project', 'unit', '--maxWorkers', String(availableParallelism() + 2)])
}

async function build() {
  /** @type {string[]} */
  const lines = []
  const ok = await ensureBuilt(root, (line) => lines.push(line))
  return { ...verdict(ok), output: lines.join('\n') }
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function tool(name, args) {
  const { code, output } = await runCommand(join(root, 'tools', 'node_modules', '.bin', name), args, { cwd: root })
  return { ...verdict(code === 0), output }
}

/** @param {readonly string[]} args */
async function node(args) {
  const { code, output } = await runCommand(process.execPath, args, { cwd: root })
  return { ...verdict(code === 0), output }
}

/** @param {boolean} ok */
function verdict(ok) {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}
