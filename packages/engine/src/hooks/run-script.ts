// A hook that is a program of the project: the event as JSON on its stdin, what it says about it as JSON on its stdout.
import type { AgentHook, JsonObject } from '@quarterdeck/protocol'
import { z } from 'zod'
import { type ShutInPlace, type ShutInProcess, spawnShutIn } from '../isolation/spawn-shut-in.ts'
import { refusal } from './refusal.ts'

export type HookScript = Extract<AgentHook['action'], { type: 'script' }>

export interface ScriptRun {
  readonly event: string
  readonly input: JsonObject
  /** Values of the variables it declares. */
  readonly env: Readonly<Record<string, string>>
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

/** Exit code 2 refuses, and what is on stderr says why. */
const refusingCode = 2
const longestOutput = 256_000
const HookOutput = z.record(z.string(), z.unknown())

/** Throws what went wrong: whoever runs hooks decides what a failed one means. */
export async function runScript(script: HookScript, run: ScriptRun, place: ShutInPlace): Promise<JsonObject> {
  const child = spawnShutIn({ ...script, env: run.env }, place)
  const limit = AbortSignal.any([run.signal, AbortSignal.timeout(script.timeoutMs)])
  const stop = () => void child.end()
  limit.addEventListener('abort', stop, { once: true })
  try {
    child.input.end(JSON.stringify(run.input))
    const [printed, { how, code, stderr }] = await Promise.all([outputOf(child), child.exit])
    if (limit.aborted) throw new Error(`${script.command} took longer than ${script.timeoutMs} ms`)
    if (code === refusingCode) return refusal(run.event, stderr === '' ? `refused by ${script.command}` : stderr)
    if (code !== 0) throw new Error(`${script.command}: ${how}${stderr === '' ? '' : `: ${stderr}`}`)
    return parseOutput(script, printed)
  } finally {
    limit.removeEventListener('abort', stop)
  }
}

async function outputOf({ output, exit }: ShutInProcess): Promise<string> {
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, longestOutput)
  })
  const isHeard = new Promise<void>((resolve) => output.once('end', resolve).once('error', () => resolve()))
  // Whatever it started may hold its stdout open after it is gone.
  await Promise.race([isHeard, exit])
  return text
}

function parseOutput({ command }: HookScript, printed: string): JsonObject {
  if (printed.trim() === '') return {}
  try {
    return HookOutput.parse(JSON.parse(printed))
  } catch (cause) {
    throw new Error(`${command} printed what is no JSON object`, { cause })
  }
}
