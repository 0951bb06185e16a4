// Runs dependency-cruiser and checks that it read every file: with the wrong TypeScript version it skips all .ts files
// and reports no violation. So each source file on disk must be among the modules it read.
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand } from './run-command.mjs'

/**
 * @typedef {{ rule: string, from: string, to: string }} Violation
 * @typedef {{ modules: readonly string[], dependencies: number, violations: readonly Violation[] }} Cruise
 */

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * @param {string} root
 * @returns {Promise<import('./run-steps.mjs').StepResult>}
 */
export async function checkArchitecture(root) {
  const [cruise, paths] = await Promise.all([cruisePackages(root), listSources(join(root, 'packages'))])
  const sources = paths.map((path) => relative(root, path))
  const problems = findProblems(cruise, sources)
  const note = `${sources.length} modules, ${cruise.dependencies} dependencies`
  if (problems.length > 0) return { passed: 0, failed: 1, note, output: problems.join('\n') }
  return { passed: 1, failed: 0, note, output: '' }
}

/**
 * @param {Cruise} cruise
 * @param {readonly string[]} sources the source files on disk
 */
export function findProblems(cruise, sources) {
  const read = new Set(cruise.modules)
  return [
    ...cruise.violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`),
    ...sources.filter((path) => !read.has(path)).map((path) => `not read by dependency-cruiser: ${path}`),
    ...(cruise.dependencies === 0 ? ['dependency-cruiser found no dependencies'] : []),
  ]
}

/**
 * Cruises `packages/` under `root` with the rules of this repository.
 * @param {string} root
 * @returns {Promise<Cruise>}
 */
export async function cruisePackages(root) {
  const bin = join(repository, 'tools/node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const config = join(repository, '.dependency-cruiser.cjs')
  const args = [bin, '--config', config, '--output-type', 'json', '--no-progress', 'packages']
  const { code, output } = await runCommand(process.execPath, args, { cwd: root })
  const start = output.indexOf('{')
  if (start < 0) throw new Error(`dependency-cruiser ended with ${code} and no result:\n${output}`)
  const { modules, summary } = JSON.parse(output.slice(start))
  return {
    modules: modules.map((/** @type {{ source: string }} */ module) => module.source),
    dependencies: summary.totalDependenciesCruised,
    violations: summary.violations.map((/** @type {{ rule: { name: string }, from: string, to: string }} */ found) => ({
      rule: found.rule.name,
      from: found.from,
      to: found.to,
    })),
  }
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>}
 */
async function listSources(folder) {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = entries.map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : listSources(path)
    return /\/src\/.*(?<!\.d)\.tsx?$/.test(path) ? [path] : []
  })
  return (await Promise.all(nested)).flat()
}
