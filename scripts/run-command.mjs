// Runs one command of the check to its end and returns its output.
import { spawn } from 'node:child_process'

// Guards against a hang: the slowest step takes a few minutes on two cores.
const DEADLINE_MS = 30 * 60_000

/**
 * @typedef {object} CommandOptions
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} [env] the whole environment; ours without colors unless given
 * @property {{ uid: number, gid: number } | undefined} [identity] another user to run as
 */

/**
 * Never rejects: a command that cannot start or does not end counts as failed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {CommandOptions} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export function runCommand(command, args, { cwd, env = environmentWithoutColors(), identity }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, ...identity, stdio: ['ignore', 'pipe', 'pipe'] })
    /** @type {Buffer[]} */
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const deadline = setTimeout(() => {
      chunks.push(Buffer.from(`\nstopped: not finished after ${DEADLINE_MS / 60_000} minutes\n`))
      child.kill('SIGKILL')
    }, DEADLINE_MS)
    /** @param {number} code */
    const settle = (code) => {
      clearTimeout(deadline)
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') })
    }
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${command}: ${error.message}\n`))
      settle(127)
    })
    child.on('close', (code) => settle(code ?? 1))
  })
}

function environmentWithoutColors() {
  const { FORCE_COLOR: _forced, ...rest } = process.env
  return { ...rest, NO_COLOR: '1' }
}
