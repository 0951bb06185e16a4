// The build targets and their sources. A target is current when its outputs exist and its stamp matches the sources.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Step
 * @property {string} tool npm package that builds it
 * @property {string} bin script inside that package
 * @property {readonly string[]} args
 * @property {string} cwd
 *
 * @typedef {object} Target
 * @property {string} title
 * @property {readonly Step[]} steps
 * @property {readonly string[]} outputs
 * @property {string} stamp
 * @property {(root: string) => string} fingerprint
 */

const nodePackages = ['protocol', 'client', 'model', 'simulator', 'engine', 'server', 'cli']

/** @type {readonly Target[]} */
export const targets = [
  {
    title: 'the packages (TypeScript)',
    steps: [
      { tool: 'typescript', bin: 'bin/tsc', args: ['-b', ...nodePackages.map((name) => `packages/${name}`)], cwd: '.' },
      { tool: 'rolldown', bin: 'bin/cli.mjs', args: ['--config', 'bundle.config.mjs'], cwd: 'packages/cli' },
    ],
    outputs: [...nodePackages.map((name) => `packages/${name}/dist/index.js`), 'packages/cli/dist/bundle/index.js'],
    stamp: 'packages/cli/dist/.packages-built-from',
    fingerprint: (root) => fingerprint(root, ['tsconfig.base.json', ...nodePackages.map((name) => `packages/${name}`)]),
  },
  {
    title: 'the workbench (Vite)',
    steps: [{ tool: 'vite', bin: 'bin/vite.js', args: ['build'], cwd: 'packages/web' }],
    outputs: ['packages/web/dist/site/index.html'],
    stamp: 'packages/cli/dist/.workbench-built-from',
    fingerprint: (root) =>
      fingerprint(root, ['tsconfig.base.json', 'packages/web', 'packages/client', 'packages/protocol']),
  },
]

/**
 * @param {string} root
 * @param {Target} target
 */
export function isBuilt(root, target) {
  return target.outputs.every((path) => existsSync(join(root, path)))
}

/**
 * Covers names, sizes and times of every source file, so it detects edits, additions, removals and older checkouts.
 * Synchronous because every start waits for it, and one promise per file took twice as long.
 * @param {string} root
 * @param {readonly string[]} paths
 */
function fingerprint(root, paths) {
  const files = paths.flatMap((path) => listSources(root, path)).sort()
  const lines = files.map((file) => {
    const { size, mtimeMs } = statSync(join(root, file))
    return `${file} ${size} ${mtimeMs}`
  })
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {readonly string[]}
 */
function listSources(root, path) {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(isSource)
    .flatMap((entry) => {
      const child = `${path}/${entry.name}`
      return entry.isDirectory() ? listSources(root, child) : [child]
    })
}

/** @param {import('node:fs').Dirent} entry */
function isSource(entry) {
  if (entry.isDirectory())
    return !['dist', 'node_modules', 'bin', 'testing'].includes(entry.name) && !entry.name.startsWith('.')
  return !/\.(test|contract|fixture)\.tsx?$|\.md$/.test(entry.name) && !entry.name.startsWith('.')
}
