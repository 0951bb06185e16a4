// Runs a hook script: it gets the event as JSON on stdin and answers as JSON on stdout.
import { type AgentHook, type JsonObject, withTimeout } from '@quarterdeck/protocol'
import { z } from 'zod'
import { firstErrorLine } from '../isolation/first-error-line.ts'
import { type ProcessSandbox, type SandboxedProcess, spawnSandboxed } from '../isolation/spawn-sandboxed.ts'
import { refusal } from './refusal.ts'

export type HookScript = Extract<AgentHook['action'], { type: 'script' }>

export interface ScriptRun {
  readonly event: string
  readonly input: JsonObject
  /** Values of the declared variables. */
  readonly env: Readonly<Record<string, string>>
  /** Aborts when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** Exit code 2 refuses with stderr as the reason. */
const refusingCode = 2
const longestOutput = 256_000
const outputGraceMs = 2_000
const HookOutput = z.record(z.string(), z.unknown())

/** Throws any failure: the caller decides its consequence. */
export async function runScript(script: HookScript, run: ScriptRun, sandbox: ProcessSandbox): Promise<JsonObject> {
  run.signal.throwIfAborted()
  const child = spawnSandboxed({ ...script, env: run.env }, sandbox)
  const late = AbortSignal.timeout(script.timeoutMs)
  const limit = AbortSignal.any([run.signal, late])
  const stop = () => void child.end()
  limit.addEventListener('abort', stop, { once: true })
  try {
    child.input.end(JSON.stringify(run.input))
    const printed = outputOf(child)
    const { how, code, stderr } = await child.exit
    run.signal.throwIfAborted()
    if (late.aborted) throw new Error(`${script.command} took longer than ${script.timeoutMs} ms`)
    if (code === refusingCode) return refusal(run.event, stderr === '' ? `refused by ${script.command}` : stderr)
    if (code !== 0) throw new Error(`${script.command}: ${how}${stderr === '' ? '' : `: ${firstErrorLine(stderr)}`}`)
    // The process has ended, but its last output may still arrive, and a child may hold stdout open.
    const text = await withTimeout(printed, outputGraceMs)
    if (text === null) throw new Error(`${script.command} ended, but its output stayed open`)
    return parseOutput(script, text)
  } finally {
    limit.removeEventListener('abort', stop)
  }
}

/** The whole output, or `null` if reading it failed. */
function outputOf({ output }: SandboxedProcess): Promise<string | null> {
  let text = ''
  output.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(0, longestOutput)
  })
  return new Promise((resolve) => output.once('end', () => resolve(text)).once('error', () => resolve(null)))
}

function parseOutput({ command }: HookScript, printed: string): JsonObject {
  if (printed.trim() === '') return {}
  try {
    return HookOutput.parse(JSON.parse(printed))
  } catch (cause) {
    throw new Error(`${command} printed something other than a JSON object`, { cause })
  }
}
