// `npm run bench [-- --only NAME] [--quick] [--long]`: prints one line per figure with both sides, and writes them as JSON.
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../packages/cli/bin/ensure-built.mjs'
import { lineOf, ratioOf } from './figure.mjs'

/** @typedef {import('./figure.mjs').Measurement} Measurement */

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Loaded one by one, after the build they stand on.
 * @type {Readonly<Record<string, () => Promise<Measurement>>>}
 */
const measurements = {
  web: async () => (await import('./measure-web.mjs')).web,
  analysis: async () => (await import('./measure-analysis.mjs')).analysis,
  model: async () => (await import('./measure-model.mjs')).model,
  appends: async () => (await import('./measure-appends.mjs')).appends,
  lists: async () => (await import('./measure-lists.mjs')).lists,
  folds: async () => (await import('./measure-folds.mjs')).folds,
  replay: async () => (await import('./measure-replay.mjs')).replay,
  'fan-out': async () => (await import('./measure-fan-out.mjs')).fanOut,
  ready: async () => (await import('./measure-ready.mjs')).ready,
  'known-sessions': async () => (await import('./measure-known-sessions.mjs')).knownSessions,
  'idle-memory': async () => (await import('./measure-idle-memory.mjs')).idleMemory,
  'first-token': async () => (await import('./measure-first-token.mjs')).firstToken,
  hibernated: async () => (await import('./measure-hibernated.mjs')).hibernated,
  'token-delay': async () => (await import('./measure-token-delay.mjs')).tokenDelay,
  loop: async () => (await import('./measure-loop.mjs')).loop,
  concurrency: async () => (await import('./measure-concurrency.mjs')).concurrency,
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
  },
})
const names = Object.keys(measurements)
const chosen = values.only ?? names
const unknown = chosen.filter((name) => !names.includes(name))

if (unknown.length > 0) {
  console.error(`unknown measurement ${unknown.join(', ')}: choose from ${names.join(', ')}`)
  process.exitCode = 2
} else if (!(await ensureBuilt(root, console.log))) {
  process.exitCode = 1
} else {
  process.exitCode = await runAll(chosen, { isQuick: values.quick, isLong: values.long })
}

/**
 * @param {readonly string[]} only
 * @param {import('./figure.mjs').Plan} plan
 * @returns {Promise<number>} exit code
 */
async function runAll(only, plan) {
  const results = []
  const failures = []
  for (const name of only) {
    const measurement = await measurements[name]?.()
    if (measurement === undefined) continue
    console.log(`\n${measurement.title} (${name})`)
    try {
      const figures = await measurement.measure(plan)
      for (const figure of figures) console.log(lineOf(figure))
      results.push({ name, figures: figures.map((figure) => ({ ...figure, ratio: ratioOf(figure) })) })
    } catch (error) {
      failures.push(name)
      console.error(error)
    }
  }
  console.log(`\nwritten to ${await save({ ...plan, results, failures })}`)
  if (failures.length > 0) console.error(`not measured: ${failures.join(', ')}`)
  return failures.length === 0 ? 0 : 1
}

/** @param {object} report */
async function save(report) {
  const folder = join(root, 'bench', 'results')
  await mkdir(folder, { recursive: true })
  const at = new Date().toISOString()
  const file = join(folder, `${at.replaceAll(/[:.]/g, '-')}.json`)
  const machine = { node: process.version, cores: cpus().length, platform: process.platform }
  await writeFile(file, `${JSON.stringify({ at, machine, ...report }, null, 2)}\n`)
  return file
}
