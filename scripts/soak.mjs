// `npm run soak`: runs the tests that scale at their full size, one file after another, and writes a report.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../packages/cli/bin/ensure-built.mjs'
import { soakFile } from './soak-file.mjs'
import { renderReport, summaryOf, verdictOf } from './soak-report.mjs'

/** @typedef {import('./soak-report.mjs').FileResult} FileResult */

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'soak-report')

/** The files with tests that scale; the rest of e2e/ does not depend on the size. */
const scaled = /^(?:faults|processes|money)\/[\w-]+\.test\.ts$|^security\/canaries\.test\.ts$/

const help = `npm run soak [-- --only NAME[,NAME…]] [--minutes N] [--list]

Runs the tests of e2e/ that scale at full size (a thousand hibernated sessions, ten thousand clients,
hundreds of kills), one file after another, and writes soak-report/report.md and report.json.

  --only NAME[,NAME…]  only these files, without ".test.ts"
  --minutes N          time limit for one file (default: 90); tests that did not finish are reported as such
  --list               list the files and exit

Ctrl-C ends the running file and writes the report; a second one ends it at once. A slow run never fails; only a broken promise does: exit code 1. SEED=N repeats the random moments of a run.
`

process.exitCode = await main()

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      minutes: { type: 'string', default: '90' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const files = (await readdir(join(root, 'e2e'), { recursive: true })).filter((name) => scaled.test(name)).sort()
  const names = files.map((file) => file.replace('.test.ts', ''))
  const chosen = values.only?.split(',') ?? names
  const unknown = chosen.filter((name) => !names.includes(name))
  const minutes = Number(values.minutes)
  if (values.help) return say(help, 0)
  if (values.list) return say(names.join('\n'), 0)
  if (unknown.length > 0) return say(`unknown: ${unknown.join(', ')}. Choose from ${names.join(', ')}`, 2)
  if (!(minutes > 0)) return say(`--minutes must be a number above 0, not "${values.minutes}"`, 2)
  if (!(await ensureBuilt(root, console.log))) return 1
  return runAll(chosen, minutes * 60_000)
}

/**
 * @param {readonly string[]} names
 * @param {number} boundMs
 */
async function runAll(names, boundMs) {
  await mkdir(folder, { recursive: true })
  const startedAt = new Date().toISOString()
  /** @type {FileResult[]} */
  const results = []
  const stopped = new AbortController()
  const killed = new AbortController()
  let stoppedAt = Number.POSITIVE_INFINITY
  process.on('SIGINT', () => {
    // npm may forward the Ctrl-C that the terminal has already sent to the whole group.
    if (performance.now() - stoppedAt > 500) killed.abort()
    stoppedAt = Math.min(stoppedAt, performance.now())
    stopped.abort()
  })
  for (const [index, name] of names.entries()) {
    if (stopped.signal.aborted) break
    console.log(`[${index + 1}/${names.length}] ${name} …`)
    const result = await soakFile({ root, folder, name, boundMs, stop: stopped.signal, kill: killed.signal })
    results.push(result)
    console.log(`[${index + 1}/${names.length}] ${name}: ${summaryOf(result)}`)
    // Written after each file, so that an interrupted soak keeps its results.
    const report = { startedAt, endedAt: new Date().toISOString(), verdict: verdictOf(results), files: results }
    await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
    await writeFile(join(folder, 'report.md'), renderReport(report))
  }
  console.log(`\n${verdictOf(results)}: see soak-report/report.md`)
  return results.some(({ broken }) => broken.length > 0) ? 1 : 0
}

/**
 * @param {string} text
 * @param {number} code
 */
function say(text, code) {
  console.log(text)
  return code
}
