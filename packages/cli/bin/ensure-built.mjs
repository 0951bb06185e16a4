// Builds the packages and the workbench when their sources changed since the last build, one builder at a time.
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { acquireBuildLock } from './build-lock.mjs'
import { isBuilt, targets } from './build-targets.mjs'

/**
 * @typedef {import('./build-targets.mjs').Target} Target
 * @typedef {import('./build-targets.mjs').Step} Step
 * @typedef {(line: string) => void} Say
 */

/**
 * Never rejects: prints what failed and resolves with false.
 * @param {string} root the checkout
 * @param {Say} say
 * @returns {Promise<boolean>} whether a current build exists
 */
export async function ensureBuilt(root, say) {
  try {
    if ((await staleTargets(root)).length === 0) return true
    const folder = join(root, 'packages', 'cli', 'dist')
    await mkdir(folder, { recursive: true })
    const release = await acquireBuildLock(join(folder, '.builder'), say)
    try {
      // Check again under the lock: the previous holder may have built exactly this.
      for (const { target, fingerprint } of await staleTargets(root)) {
        if (!(await build(root, target, say))) return false
        await writeFile(join(root, target.stamp), fingerprint)
      }
      return true
    } finally {
      await release()
    }
  } catch (error) {
    say(explain(error, root))
    return false
  }
}

/** @param {string} root */
async function staleTargets(root) {
  const stale = []
  for (const target of targets) {
    const fingerprint = target.fingerprint(root)
    const stamp = await readFile(join(root, target.stamp), 'utf8').catch(() => 'never built')
    if (stamp !== fingerprint || !isBuilt(root, target)) stale.push({ target, fingerprint })
  }
  return stale
}

/**
 * @param {string} root
 * @param {Target} target
 * @param {Say} say
 */
async function build(root, target, say) {
  const tools = target.steps.map((step) => resolveTool(root, step))
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1)
  say(`building ${target.title} …`)
  for (const [index, { args, cwd }] of target.steps.entries()) {
    const { code, output } = await run(tools[index] ?? '', args, join(root, cwd))
    if (code === 0) continue
    say(`${output.trimEnd()}\nbuilding ${target.title} failed after ${seconds()} s; the messages are above.`)
    return false
  }
  say(`built ${target.title} in ${seconds()} s`)
  return true
}

/**
 * @param {string} root
 * @param {Step} step
 */
function resolveTool(root, { tool, bin }) {
  const manifest = createRequire(join(root, 'package.json')).resolve(`${tool}/package.json`)
  return join(dirname(manifest), bin)
}

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<{ code: number, output: string }>}
 */
function run(script, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/**
 * @param {unknown} error
 * @param {string} root
 */
function explain(error, root) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'MODULE_NOT_FOUND') return `The dependencies are not installed: run \`npm ci\` in ${root} first.`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `The build in ${root} is missing or older than its sources, and this user may not write there. Run \`npm run build\` once as the owner of that folder.`
  }
  return `The build could not be started: ${error instanceof Error ? error.message : error}`
}
