// Node reports the error of a module that it cannot parse, but not its position. So the files are checked again by
// `node --check`, which runs nothing and prints the line.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, relative } from 'node:path'

const require = createRequire(import.meta.url)
const plain = /^SyntaxError: (?<what>.+)$/s
const hasLocation = /^SyntaxError: \S+:\d+:\d+: |\(\S.*:\d+\)$/
/** For all files together: the caller waits for the message, with or without a position. */
const defaultTimeoutMs = 5_000

export interface LoadedFiles {
  /** Absolute, in the order in which they were read. */
  readonly files: readonly string[]
  readonly project: string
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

/** The message of a module that could not be loaded, with file, line and column added if they can be found. */
export async function withLocation(message: string, read: LoadedFiles): Promise<string> {
  const { files, project, timeoutMs = defaultTimeoutMs } = read
  const what = plain.exec(message)?.groups?.what
  if (what === undefined || hasLocation.test(message)) return message
  const late = AbortSignal.timeout(timeoutMs)
  const signal = read.signal === undefined ? late : AbortSignal.any([late, read.signal])
  // The file that was read last is the most likely one.
  for (const file of [...new Set(files)].reverse()) {
    if (signal.aborted) break
    const location = await locationIn(file, what, signal)
    if (location !== null) return `SyntaxError: ${shown(file, project)}:${location}: ${what}`
  }
  return message
}

/** No path outside the project. */
function shown(file: string, project: string): string {
  const relativePath = relative(project, file)
  return relativePath.startsWith('..') ? basename(file) : relativePath
}

/** `5:12`; `null` if the file does not fail with this message. */
async function locationIn(file: string, what: string, signal: AbortSignal): Promise<string | null> {
  const code = await codeOf(file)
  if (code === null) return null
  const stderr = await check(code, signal)
  const match = /^\[stdin\]:(?<line>\d+)\n.*\n(?<before>[ \t]*)\^+\s+SyntaxError: (?<words>.+)\n/.exec(stderr)
  const { line, before = '', words } = match?.groups ?? {}
  return line === undefined || words !== what ? null : `${line}:${before.length + 1}`
}

/** Without types, with every character in its position. */
async function codeOf(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, 'utf8')
    if (!/\.m?ts$/.test(file)) return text
    const { transformSync } = require('@swc/wasm-typescript') as typeof import('@swc/wasm-typescript')
    return transformSync(text, { mode: 'strip-only' }).code
  } catch {
    // Deleted by now, or its error already had a position.
    return null
  }
}

/** The error it reports, if any. */
function check(code: string, signal: AbortSignal): Promise<string> {
  const options = { env: {}, signal }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['--check', '--input-type=module', '-'], options, (_error, _out, match) =>
      resolve(match),
    )
    // It may stop before it has read everything.
    child.stdin?.on('error', () => undefined).end(code)
  })
}
