// The simulator as a program of its own, for tests in other languages and projects.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { messageOf } from '@quarterdeck/protocol'
import { createSimulator, type SimulatorOptions } from './create-simulator.ts'
import { loadScenario } from './scenarios/scenario.ts'

export interface SimulatorProgram {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  /** Ends the program. */
  readonly signal: AbortSignal
}

const usageText = 'Usage: quarterdeck-simulator [--port PORT] [--script SCENARIO.yaml] [--pace MS]'

/** Prints the base URL as one line of JSON, then serves until the signal aborts. Resolves with the exit code. */
export async function runSimulator(argv: readonly string[], program: SimulatorProgram): Promise<number> {
  const { stdout, stderr, signal } = program
  try {
    const { port, options } = await readArguments(argv)
    const simulator = createSimulator(options)
    const { url } = await simulator.listen(port)
    stdout.write(`${JSON.stringify({ url })}\n`)
    if (!signal.aborted) await once(signal, 'abort')
    await simulator.close()
    return 0
  } catch (error) {
    stderr.write(`${messageOf(error)}\n${usageText}\n`)
    return 2
  }
}

async function readArguments(argv: readonly string[]): Promise<{ port: number; options: SimulatorOptions }> {
  const { values } = parseArgs({
    args: [...argv],
    options: { port: { type: 'string' }, script: { type: 'string' }, pace: { type: 'string' } },
  })
  const { port = '0', script, pace } = values
  if (!/^\d+$/.test(port) || Number(port) > 65_535) throw new Error(`--port must be between 0 and 65535, not "${port}"`)
  if (pace !== undefined && !/^\d+$/.test(pace)) {
    throw new Error(`--pace must be a number of milliseconds, not "${pace}"`)
  }
  return {
    port: Number(port),
    options: {
      mode: script === undefined ? 'demo' : { script: loadScenario(await readFile(script, 'utf8'), script) },
      ...(pace === undefined ? {} : { paceMs: Number(pace) }),
    },
  }
}
