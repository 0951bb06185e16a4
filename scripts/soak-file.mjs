// Runs one file of e2e/ at full size, bounded in time, and reads what came of it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * @typedef {import('./soak-report.mjs').FileResult} FileResult
 * @typedef {{ status: string, fullName: string, duration?: number | null, failureMessages: readonly string[] }} TestResult
 * @typedef {{ testResults: readonly { status: string, message?: string, assertionResults: readonly TestResult[] }[] }} VitestReport
 */

/**
 * @param {{ root: string, folder: string, name: string, boundMs: number, signal: AbortSignal }} options
 * @returns {Promise<FileResult>}
 */
export async function soakFile({ root, folder, name, boundMs, signal }) {
  const paths = { report: join(folder, `${name}.json`), facts: join(folder, `${name}.facts`) }
  await Promise.all(Object.values(paths).map((path) => rm(path, { force: true })))
  const memoryBefore = await availableMiB()
  const startedAt = performance.now()
  const { code, isOutOfTime } = await runTests({
    root,
    name,
    boundMs,
    signal,
    ...paths,
    log: join(folder, `${name}.log`),
  })
  const durationMs = Math.round(performance.now() - startedAt)
  const facts = await readFacts(paths.facts)
  const report = await readReport(paths.report)
  const memory = { beforeMiB: memoryBefore, afterMiB: await availableMiB() }
  return { name, durationMs, memory, facts, ...resultsOf(report, { code, isOutOfTime }) }
}

/**
 * @param {{ root: string, name: string, boundMs: number, signal: AbortSignal, report: string, facts: string, log: string }} options
 */
async function runTests({ root, name, boundMs, signal, report, facts, log }) {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const patience = ['--testTimeout', String(boundMs), '--hookTimeout', String(boundMs)]
  const args = ['run', '--config', 'e2e/vitest.config.ts', '--reporter=verbose', '--reporter=json', ...patience]
  const child = spawn(process.execPath, [vitest, ...args, `--outputFile.json=${report}`, `e2e/${name}.test.ts`], {
    cwd: root,
    env: { ...process.env, SOAK: '1', SOAK_FACTS: facts, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const output = createWriteStream(log)
  for (const stream of [child.stdout, child.stderr]) stream.pipe(output, { end: false })
  let isOutOfTime = false
  // Its whole group: the servers that a test has started are told to stop too.
  const stop = () => {
    isOutOfTime = true
    signalGroup(child, 'SIGINT')
  }
  const bound = setTimeout(stop, boundMs)
  const forced = setTimeout(() => signalGroup(child, 'SIGKILL'), boundMs + 60_000)
  signal.addEventListener('abort', stop)
  const [code] = await once(child, 'close')
  signal.removeEventListener('abort', stop)
  clearTimeout(bound)
  clearTimeout(forced)
  output.end()
  return { code: Number(code ?? 1), isOutOfTime }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // All of it has ended meanwhile.
  }
}

/**
 * @param {VitestReport | null} report
 * @param {{ code: number, isOutOfTime: boolean }} end
 */
export function resultsOf(report, { code, isOutOfTime }) {
  const tests = report?.testResults.flatMap((file) => file.assertionResults) ?? []
  const failed = tests.filter(({ status }) => status === 'failed')
  const slow = failed.filter(({ failureMessages }) => failureMessages.every((text) => /timed out in \d+ms/.test(text)))
  const broken = failed
    .filter((test) => !slow.includes(test))
    .map(({ fullName, failureMessages }) => ({ test: fullName, message: firstLines(failureMessages.join('\n')) }))
  const files =
    report?.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0) ?? []
  for (const { message } of files) broken.push({ test: 'the file itself', message: firstLines(message ?? '') })
  const isUnexplained = code !== 0 && !isOutOfTime && failed.length === 0 && files.length === 0
  if (isUnexplained) broken.push({ test: 'the run itself', message: `vitest ended with ${code}: see its log` })
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    skipped: tests.filter(({ status }) => status === 'pending' || status === 'skipped').map(({ fullName }) => fullName),
    broken,
    unfinished: [...slow.map(({ fullName }) => fullName), ...(isOutOfTime ? ['the rest of the file'] : [])],
    tests: tests.map(({ fullName, status, duration }) => ({
      test: fullName,
      status,
      durationMs: Math.round(duration ?? 0),
    })),
  }
}

/** @param {string} text */
const firstLines = (text) => text.split('\n').slice(0, 6).join('\n')

/** @param {string} path */
async function readFacts(path) {
  const text = await readFile(path, 'utf8').catch(() => '') // nothing was told
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/**
 * @param {string} path
 * @returns {Promise<VitestReport | null>}
 */
async function readReport(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null // it was stopped before it could write one: its log says how far it came
  }
}

/** Of the whole machine; null where it does not say. */
async function availableMiB() {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kibibytes = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1]
  return kibibytes === undefined ? null : Math.round(Number(kibibytes) / 1024)
}
