// The simulator as a program of its own, for tests in other languages and projects.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createSimulator, type SimulatorOptions } from './create-simulator.ts'
import { loadScenario } from './scenarios/scenario.ts'

const usageText = 'Usage: quarterdeck-simulator [--script filePattern] [--pace MS]'

/** Prints the base URL as one line of JSON, then serves until SIGINT or SIGTERM. Resolves with the exit code. */
export async function runSimulator(argv: readonly string[]): Promise<number> {
  const options = await readOptions(argv).catch((error: unknown) => String(error))
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n${usageText}\n`)
    return 2
  }
  const simulator = createSimulator(options)
  const { url } = await simulator.listen()
  process.stdout.write(`${JSON.stringify({ url })}\n`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await simulator.close()
  return 0
}

async function readOptions(argv: readonly string[]): Promise<SimulatorOptions> {
  const { values } = parseArgs({ args: [...argv], options: { script: { type: 'string' }, pace: { type: 'string' } } })
  const { script, pace } = values
  const paceMs = pace === undefined ? undefined : Number(pace)
  if (paceMs !== undefined && !(paceMs >= 0)) throw new Error(`--pace must be a number of milliseconds, not "${pace}"`)
  return {
    mode: script === undefined ? 'demo' : { script: loadScenario(await readFile(script, 'utf8'), script) },
    ...(paceMs === undefined ? {} : { paceMs }),
  }
}
