// The steps of a newcomer: clone, `npm ci`, `npm start`, follow the link. Run as a given user on a given Node.
import { spawn } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'

/**
 * @typedef {object} Newcomer
 * @property {string} bundle the repository as one file: readable for every user, whoever owns the checkout
 * @property {string} folder an existing folder of the user, for the clone and everything else they write
 * @property {string} nodeBin goes first on PATH
 * @property {string} registry
 * @property {{ uid: number, gid: number } | undefined} identity undefined: as we are
 * @property {boolean} withTests also run `npm test`
 */

// The README promises the link within a minute after the install.
const LINK_DEADLINE_MS = 60_000
const STOP_DEADLINE_MS = 30_000

/**
 * Rejects with a message when a step fails.
 * @param {Newcomer} newcomer
 * @returns {Promise<string>} a summary of the results
 */
export async function tryFreshClone(newcomer) {
  const clone = join(newcomer.folder, 'clone')
  const env = await newcomerEnvironment(newcomer)
  const options = { cwd: newcomer.folder, env, identity: newcomer.identity }
  await must('git', ['clone', '--quiet', newcomer.bundle, clone], options)
  const install = await must('npm', ['ci'], { ...options, cwd: clone })
  const start = await startAndFollowLink(clone, options)
  const seen = [`npm ci ${install} s`, `link after ${start} s`]
  if (newcomer.withTests) seen.push(`npm test ${await must('npm', ['test'], { ...options, cwd: clone })} s`)
  return seen.join(', ')
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('./run-command.mjs').CommandOptions} options
 */
async function must(command, args, options) {
  const startedAt = performance.now()
  const { code, output } = await runCommand(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`)
  return seconds(startedAt)
}

/**
 * @param {string} clone
 * @param {import('./run-command.mjs').CommandOptions} options
 */
async function startAndFollowLink(clone, { env, identity }) {
  const startedAt = performance.now()
  const server = spawn('npm', ['start', '--', '--no-open'], {
    cwd: clone,
    env,
    ...identity,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    const link = await readLink(server)
    const elapsed = seconds(startedAt)
    await followLink(link)
    // Sent to npm alone, as a service manager does: its pipes close only when the server has ended too.
    server.kill('SIGTERM')
    if (!(await Promise.race([ended.then(() => true), after(STOP_DEADLINE_MS, false)]))) {
      throw new Error(`npm start: still running ${STOP_DEADLINE_MS / 1000} s after SIGTERM`)
    }
    return elapsed
  } finally {
    killGroup(server)
  }
}

/** @param {string} link */
async function followLink(link) {
  const [page, health] = await Promise.all([fetch(link, { redirect: 'manual' }), fetch(new URL('/health', link))])
  if (page.status >= 400 || !page.headers.has('set-cookie')) {
    throw new Error(`the link returned ${page.status} and did not sign in`)
  }
  if (!health.ok) throw new Error(`/health returned ${health.status}`)
}

/**
 * The last line of a successful start contains the sign-in link.
 * @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable,
 * import('node:stream').Readable>} server
 * @returns {Promise<string>}
 */
function readLink(server) {
  return new Promise((resolve, reject) => {
    let output = ''
    /** @param {string} why */
    const fail = (why) => reject(new Error(`npm start: ${why}\n${output.slice(-4000)}`))
    const deadline = setTimeout(() => fail(`no link after ${LINK_DEADLINE_MS / 1000} s`), LINK_DEADLINE_MS)
    /** @param {Buffer} chunk */
    const read = (chunk) => {
      output += chunk
      const link = /https?:\/\/\S*login\S*(?=\s)/.exec(output)?.[0]
      if (!link) return
      clearTimeout(deadline)
      resolve(link)
    }
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    server.once('close', (code) => {
      clearTimeout(deadline)
      fail(`ended with ${code} before it printed the link`)
    })
  })
}

/**
 * A clean environment: no keys, no colors, and no npm settings except the registry and proxy.
 * @param {Newcomer} newcomer
 */
async function newcomerEnvironment({ folder, nodeBin, registry, identity }) {
  const home = join(folder, 'home')
  const temporary = join(folder, 'tmp')
  for (const path of [home, temporary]) await mkdirFor(path, identity)
  const passedOn = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'NODE_EXTRA_CA_CERTS',
  ]
  return {
    ...Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    PATH: `${nodeBin}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: temporary,
    NO_COLOR: '1',
    npm_config_registry: registry,
  }
}

/**
 * @param {string} path
 * @param {Newcomer['identity']} identity
 */
async function mkdirFor(path, identity) {
  await mkdir(path, { recursive: true })
  if (identity) await chown(path, identity.uid, identity.gid)
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  if (!child.pid) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group is usually gone already.
  }
}

/**
 * @template T
 * @param {number} milliseconds
 * @param {T} value
 * @returns {Promise<T>}
 */
function after(milliseconds, value) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, value).unref())
}

/** @param {number} startedAt */
function seconds(startedAt) {
  return ((performance.now() - startedAt) / 1000).toFixed(1)
}
